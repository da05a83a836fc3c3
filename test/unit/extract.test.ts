import { createExtractor } from '../../nodes/NeetoForm/submissions/extract';
import type { OutputOptions } from '../../nodes/NeetoForm/submissions/outputOptions';

const options = (more: Partial<OutputOptions> = {}): OutputOptions => {
  const { output, answerKey } = { output: 'simplified', answerKey: 'label' } as const;
  return { output, answerKey, includeSkipped: true, downloadFiles: false, namesForm: false, ...more };
};
const FILE = { name: 'cv.pdf', url: 'https://app.neetoform.com/files/1' };
const name = { id: 'r1', slug: 'name', label: 'Name', position: 1, kind: 'short_text', value: 'Jane' };
const colors = {
  id: 'r2',
  slug: 'colors',
  label: 'Colors',
  position: 2,
  kind: 'multiple_choice',
  value: ['red', 'blue'],
};
const resume = {
  id: 'r3',
  slug: 'resume',
  label: 'Resume',
  position: 3,
  kind: 'file_upload',
  value: { files: [FILE] },
};
const submission = (...responses: object[]) => ({ id: 's', created_at: '2026-02-01T00:00:00Z', responses });

const extract = (more: Partial<OutputOptions>) =>
  createExtractor(options(more))({
    ...submission(name, colors, resume),
    field_values: ['mine', { name: 'Own', data: 3 }],
  });

it.each<[what: string, more: Partial<OutputOptions>, slugs: string[], values: unknown[], columns: object]>([
  ['simplified', {}, ['name', 'colors', 'resume'], ['Jane', ['red', 'blue']], { 'Column 1': 'mine', Own: 3 }],
  ['row', { output: 'row' }, ['name', 'colors', 'resume'], ['Jane', 'red, blue'], { 'Column 1': 'mine', Own: 3 }],
  ['some questions', { questions: ['colors'] }, ['colors'], [['red', 'blue']], { 'Column 1': 'mine', Own: 3 }],
  ['raw', { output: 'raw' }, [], [], {}],
  ['raw with files', { output: 'raw', downloadFiles: true }, ['name', 'colors', 'resume'], [], {}],
])('keeps of a submission what %s output needs', (_, more, slugs, values, customColumns) => {
  const extracted = extract(more);
  expect(extracted.questions.map(({ slug }) => slug)).toEqual(slugs);
  expect(extracted.values.slice(0, 2)).toEqual(values);
  expect(extracted.customColumns).toEqual(customColumns);
  expect(extracted.files).toHaveLength(more.downloadFiles === true ? 3 : 0);
});

it('shares a question between submissions as long as it stays the same', () => {
  const read = createExtractor(options());
  const questionIn = (more: object) => read(submission({ ...name, ...more })).questions[0];
  const first = questionIn({});
  expect(questionIn({ value: 'John' })).toBe(first);
  for (const more of [{ label: 'Full name' }, { position: 2 }, { kind: 'long_text' }]) {
    expect(questionIn(more)).toMatchObject(more);
    expect(questionIn({})).toEqual(first);
  }
});
