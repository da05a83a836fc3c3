import { parseFormDetails } from '../../nodes/NeetoForm/submissions/questions';

const parseQuestions = (questions: unknown[]) => parseFormDetails({ questions }).questions;

describe('a question', () => {
  it('has the position that the service gives, else its place in the list', () => {
    expect(parseQuestions([{ label: 'a', position: 5 }, { label: 'b' }]).map(({ position }) => position)).toEqual([
      5, 2,
    ]);
  });

  it('without slug and label is called by its place in the list', () => {
    expect(parseQuestions([{ label: 'a' }, {}]).map(({ slug }) => slug)).toEqual(['a', 'question-2']);
  });
});

describe('a form', () => {
  it.each([undefined, null, 1, {}])('has no title when the service gives %j', (title) => {
    expect(parseFormDetails({ title, questions: [] }).title).toBeNull();
  });
});
