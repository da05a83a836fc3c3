import { outputOptions } from '../../nodes/NeetoForm/fields/submissionOutput';
import type { OutputOptions } from '../../nodes/NeetoForm/parameters/outputOptions';
import { formOf, itemsOf, parsedOptions } from './items';

const switches = Object.values(outputOptions).filter(({ type }) => type === 'boolean');
const namings = outputOptions.answerNames.options.map(({ value }) => value);

/** The item of a submission that answers "Q", and the question with this label and slug. */
function itemOf(label: string, options: OutputOptions) {
  const described = [
    { slug: 'first', label: 'Q' },
    { slug: label, label },
  ];
  const questions = described.map((question, position) => ({ ...question, position, kind: '' }));
  const responses = questions.map((question) => ({ ...question, value: `answer to ${question.label}` }));
  const field_values = [{ id: '1', field_id: 'priority', data: { value: 'high' } }];
  const submission = { id: 'id', created_at: '2026-02-09T08:00:00.000Z', field_values, responses };
  const [item] = itemsOf([submission], options, formOf(questions));
  return item?.json ?? {};
}

describe.each(switches)('an item, with $displayName turned the other way', ({ name, default: isOn }) => {
  it.each(namings)('keeps its keys, and the answer to a question that is called like one of them: %s', (naming) => {
    for (const output of ['row', 'simplified'] as const) {
      const options = parsedOptions({ output, [`options.${name}`]: !isOn, 'options.answerNames': naming });
      const other = itemOf('other', options);
      const isAnswer = (value: unknown) => String(value).startsWith('answer to');
      for (const key of Object.keys(other).filter((each) => !isAnswer(other[each]))) {
        const item = itemOf(key, options);
        expect(Object.values(output === 'row' ? item : (item['answers'] ?? {}))).toContain(`answer to ${key}`);
        expect(Object.keys(item)).toHaveLength(Object.keys(other).length);
      }
    }
  });
});
