import type { IDataObject } from 'n8n-workflow';

import { createExtractor, searchableText } from '../../nodes/NeetoForm/submissions/extract';
import type { OutputOptions } from '../../nodes/NeetoForm/parameters/outputOptions';
import { parseFormDetails } from '../../nodes/NeetoForm/submissions/questions';
import { itemsOf, optionsOf } from './items';

const file = { files: [{ name: 'cv.pdf', url: 'https://app.neetoform.com/cv.pdf' }] };
const submission: IDataObject = {
  id: 'one',
  created_at: '2026-02-09T08:00:00.000Z',
  user_agent: { ip_address: '203.0.113.7' },
  field_values: [{ field_id: 'Status', data: { value: 'Open' } }],
  responses: [
    { slug: 'name', label: 'Name', position: 1, kind: 'name', value: { first_name: 'Ada', last_name: 'Lovelace' } },
    { slug: 'cv', label: 'CV', position: 2, kind: 'file_upload', value: file },
  ],
};

const readWith = (over: Partial<OutputOptions>, data = submission) =>
  itemsOf([data], optionsOf(over), { title: 'Jobs', questions: [] });

it.each([5_000, 200_000])('what is nested %i deep leaves an item that n8n can store', (depth) => {
  const value: unknown = JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
  const values = [value, { answer: value }, { fullName: value }];
  const answers = values.map((each, nth) => ({ slug: `q${nth}`, value: each }));
  const upload = `[{"url":"https://x.test/a","more":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}]`;
  const responses = [...answers, { slug: 'file', kind: 'file', value: upload }];
  const deep: IDataObject = { ...submission, responses, field_values: [{ field_id: 'Odd', data: { value } }] };
  for (const output of ['row', 'simplified', 'raw'] as const) {
    const options = { output, addText: true, includeCustomColumns: true };
    expect(JSON.stringify(readWith(options, deep))).toContain('"one"');
  }
  expect(searchableText(deep)).toMatch(/^one/);
});

it('custom columns of a row are named for databases too, and never by what is taken', () => {
  const names = ['Lead Status', 'お名前', 'name'];
  const field_values = names.map((field_id) => ({ field_id, data: { value: 'x' } }));
  const columnsBy = (answerNames: OutputOptions['answerNames']) => {
    const [item] = readWith({ answerNames, includeCustomColumns: true }, { ...submission, field_values });
    return Object.keys(item?.json ?? {}).slice(3, 6);
  };
  expect(columnsBy('columnName')).toEqual(['lead_status', 'column', 'name_2']);
  expect(columnsBy('slug')).toEqual(['Lead Status', 'お名前', 'name (2)']);
});

it('submissions share a question that has not changed, and keep one that has', () => {
  const extract = createExtractor(optionsOf());
  const questionsOf = (over: IDataObject) =>
    extract({ responses: [{ slug: 'name', label: 'Name', position: 1, kind: 'text', value: 'x', ...over }] }).questions;
  const questionOf = (over: IDataObject) => questionsOf(over)[0];
  const first = questionOf({});
  expect(questionOf({ value: 'y' })).toBe(first);
  expect(questionsOf({ value: 'z' })).toBe(questionsOf({}));
  for (const change of [{ label: 'Full name' }, { position: 2 }, { kind: 'name' }])
    expect(questionOf(change)).toEqual({ ...questionOf({}), ...change });
});

it('a submission is found by its ID, by each answer as a cell shows it, and by the names of its files', () => {
  const [cell, name] = ['https://app.neetoform.com/cv.pdf', 'cv.pdf'];
  expect(searchableText(submission).split('\n')).toEqual(['one', 'Ada Lovelace', cell, name]);
  expect(searchableText({ id: 7 })).toBe('7');
});

const given = [{ label: 'Name', position: 5 }, 'x', null, {}, { label: 'CV', slug: 'cv', is_hidden: true }];
const understood = [
  { label: 'Name', slug: 'Name', position: 5 },
  { label: '', slug: 'question-2', position: 2 },
  { label: 'CV', slug: 'cv', position: 3 },
];

it.each<[form: Record<string, unknown>, title: string | null, questions: object[]]>([
  [{ title: ' Jobs', questions: given }, ' Jobs', understood],
  [{ title: 5, questions: { label: 'Name' } }, null, []],
  [{ title: {} }, null, []],
  [{}, null, []],
])('the form %j has the title %j and the questions %j: a slug and a position are made up', (form, title, questions) => {
  expect(parseFormDetails(form)).toMatchObject({ title, questions });
});
