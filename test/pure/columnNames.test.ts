import fc from 'fast-check';
import { DATA_TABLE_SYSTEM_COLUMNS, DATA_TABLE_SYSTEM_TESTING_COLUMN, type IDataObject } from 'n8n-workflow';

import { columnNamer, nameColumns } from '../../nodes/NeetoForm/submissions/columnNames';
import type { OutputOptions } from '../../nodes/NeetoForm/parameters/outputOptions';
import type { Question } from '../../nodes/NeetoForm/submissions/questions';
import { formOf, itemsOf, optionsOf } from './items';

const question = (slug: string, label: string, position: number): Question => ({ slug, label, position, kind: '' });

const form = [question('q', 'Q', 1)];

/** What a row has besides answers. */
const ROW = ['created_at', 'form_title', 'form_id', 'submission_id'];

const OWN = [...ROW, 'text', 'html'];

/** Names that mean something else where rows go: tables have an `id` of their own. */
const OTHERS = ['id', 'files_not_downloaded', 'is_sample'];
const IN_ROW = [...ROW, ...OTHERS];
const SYSTEM = [...DATA_TABLE_SYSTEM_COLUMNS, DATA_TABLE_SYSTEM_TESTING_COLUMN];

const label = fc.oneof(
  fc.constantFrom('Name', 'Name (2)', '__proto__', '__proto__ (2)', '', '  ', 'a.b', '1', ...OWN, ...OTHERS, ...SYSTEM),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('n'.repeat(80), 'ß'.repeat(40)),
);

const slug = fc.oneof(
  fc.constantFrom('name', 'name-2', '__proto__', 'constructor', 'id'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 5 }),
  fc.constantFrom('s'.repeat(80), 'お名前'),
);

/** Questions, each with a slug of its own, and those of them that are on the form. */
const someOf = fc
  .tuple(fc.uniqueArray(slug, { maxLength: 8 }), fc.array(label, { minLength: 8, maxLength: 8 }))
  .map(([slugs, labels]) => slugs.map((each, index) => question(each, labels[index] ?? '', index + 1)))
  .chain((all) => fc.tuple(fc.constant(all), fc.subarray(all)));

const answerNames = fc.constantFrom<Array<OutputOptions['answerNames']>>('label', 'slug', 'columnName');
const output = fc.constantFrom<Array<'simplified' | 'row'>>('simplified', 'row');

function jsonOf(submissions: IDataObject[], over: Partial<OutputOptions>, form?: Question[]): IDataObject[] {
  const options = optionsOf({ output: 'simplified', includeCustomColumns: true, ...over });
  return itemsOf(submissions, options, form && formOf(form)).map(({ json }) => json);
}

describe('the names of columns', () => {
  it("are unique, one per question, never what a row has besides, and fit n8n's data tables as column names", () => {
    fc.assert(
      fc.property(someOf, answerNames, output, fc.boolean(), ([all, onForm], key, kind, addText) => {
        const responses = all.map((each, index) => ({ ...each, value: `answer ${index}` }));
        const [item] = jsonOf([{ responses }], { output: kind, answerNames: key, addText }, onForm);
        const named = Object.entries((kind === 'row' ? item : item?.['answers']) ?? {});
        const answers = named.filter(([, value]) => /^answer \d$/.test(String(value)));
        expect(answers.map(([, value]) => String(value)).sort()).toEqual(responses.map(({ value }) => value));
        const names = answers.map(([name]) => name);
        const reserved = kind === 'row' ? [...(addText ? OWN : ROW), ...OTHERS] : [];
        expect(names.filter((name) => ['__proto__', ...reserved].includes(name))).toEqual([]);
        if (key !== 'columnName') return;
        expect(names.filter((name) => !/^[a-z][a-z0-9_]{0,62}$/.test(name))).toEqual([]);
        const refused = SYSTEM.map((name) => name.toLowerCase());
        expect(names.filter((name) => refused.includes(name))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it.each<[answerNames: OutputOptions['answerNames'], what: string, labels: string[], columns: string[]]>([
    ['slug', 'the slug', ['Name', 'Age'], ['s0', 's1']],
    ['label', 'a label that has a number already', ['Name', 'Name (2)', 'Name'], ['Name', 'Name (2)', 'Name (3)']],
    ['label', 'any text as it is', ['a.b', 'a[0]', '$json', 'Größe\n(cm)'], ['a.b', 'a[0]', '$json', 'Größe\n(cm)']],
    ['label', 'no blanks around it', [' Name '], ['Name']],
    ['columnName', 'no _ where a long name is cut', [`${'n'.repeat(57)} name`], ['n'.repeat(57)]],
    ['label', 'the slug where the label is blank', ['', '  '], ['s0', 's1']],
    ['columnName', 'lower case and _', ['Full name', 'E-mail (work)?', ' A – B '], ['full_name', 'e_mail_work', 'a_b']],
    ['columnName', 'numbers', ['Name', 'name?', 'Name 2', 'NAME'], ['name', 'name_2', 'name_2_2', 'name_3']],
    ['columnName', 'letters without accents', ['Größe', 'Prénom', 'Číslo'], ['grosse', 'prenom', 'cislo']],
    ['columnName', 'plain letters', ['Ｎａｍｅ１', 'ﬁle', 'x²'], ['name1', 'file', 'x2']],
    ['columnName', 'a letter first', ['2nd choice', '_x', '7'], ['q_2nd_choice', 'x', 'q_7']],
    ['columnName', 'the slug where no letter is left', ['お名前', '???', ''], ['s0', 's1', 's2']],
    ['label', 'a number where a row has the name', IN_ROW, IN_ROW.map((name) => `${name} (2)`)],
    ['columnName', 'a number where a row has the name', IN_ROW, IN_ROW.map((name) => `${name}_2`)],
    [
      'columnName',
      'a number where a data table has the name',
      SYSTEM,
      ['id', 'createdat', 'updatedat', 'dryrunstate'].map((name) => `${name}_2`),
    ],
  ])('made of labels by %s: %s', (answerNames, _what, labels, columns) => {
    const form = labels.map((text, index) => question(`s${index}`, text, index));
    const [row] = jsonOf([{}], { output: 'row', answerNames }, form);
    expect(Object.keys(row ?? {}).filter((name) => !ROW.includes(name))).toEqual(columns);
  });

  it('do not depend on whether a row has the form and IDs', () => {
    const form = [question('s', 'form_id', 1)];
    const [row] = jsonOf([{}], { output: 'row', includeFormAndIds: false }, form);
    expect(Object.keys(row ?? {})).toEqual(['created_at', 'form_id (2)']);
  });

  it('are made of a number where neither label nor slug has a letter of a column name', () => {
    const form = [question('お名前', 'お名前', 1), question('年齢', '', 2)];
    const [row] = jsonOf([{}], { output: 'row', answerNames: 'columnName' }, form);
    expect(Object.keys(row ?? {})).toEqual(expect.arrayContaining(['question', 'question_2']));
  });

  it('of deleted questions stand behind those of the form, by position, under their own labels', () => {
    const onForm = [question('b', 'B', 2), question('a', 'A', 1)];
    const all = [question('y', 'A', 9), question('a', 'Old A', 1), question('x', 'X', 3), question('x', 'Old X', 3)];
    const columns = nameColumns(onForm, all, 'label', columnNamer('label', [])).map(
      ({ question: { slug }, name }) => `${slug}: ${name}`,
    );
    expect(columns).toEqual(['b: B', 'a: A', 'x: X', 'y: A (2)']);
  });
});

describe('the answers of a submission', () => {
  it('are all there when slugs or labels are missing or equal, without skipped questions where these are left out', () => {
    const responses = [
      { label: 'Q', slug: 'q', value: 'first' },
      { label: 'Q', slug: 'q', value: 'second' },
      { label: 'Other', value: 'third' },
      { value: 'fourth' },
      { slug: '', label: '', value: 'fifth' },
      'bare',
      null,
    ];
    const asked = [...form, question('skipped', 'Skipped', 2)];
    const [item] = jsonOf([{ responses }], { includeSkippedQuestions: false }, asked);
    const labeled = { Q: 'first', 'Q (2)': 'second', Other: 'third' };
    const numbered = { 'question-4': 'fourth', 'question-5': 'fifth', 'question-6': 'bare' };
    expect(item?.['answers']).toEqual({ ...labeled, ...numbered });
  });

  it.each([{}, { responses: null }, { responses: 'x' }, { responses: [null, 'x'] }])(
    'are null when a submission has none: %j',
    (submission) => {
      expect(jsonOf([submission], {}, form)).toMatchObject([{ answers: { Q: null } }]);
    },
  );
});

describe('custom columns', () => {
  const submissionsWith = (given: unknown[]) => given.map((field_values) => ({ field_values }) as IDataObject);
  const customColumns = (given: unknown) => jsonOf(submissionsWith([given]), {})[0]?.['custom_columns'];
  const rows = (...given: unknown[]) => jsonOf(submissionsWith(given), { output: 'row' }, form);

  it('are named by their field, have its one value or its several, and have a column in every row', () => {
    const given = [
      { id: '1', field_id: 'priority', data: { value: 'high' } },
      { id: '2', field_id: 'tags', data: { values: ['a', 'b'] } },
      { id: '3', field_id: 'Q', data: { value: 7 } },
      { id: '4', field_id: 'empty', data: { value: null } },
    ];
    expect(customColumns(given)).toEqual({ priority: 'high', tags: ['a', 'b'], Q: 7, empty: null });
    const both = { field_id: 'tags', data: { value: null, values: ['a', 'b'] } };
    expect(customColumns([both])).toEqual({ tags: ['a', 'b'] });
    expect(rows(given, [{ field_id: 'late', value: 1 }])).toMatchObject([
      { Q: null, priority: 'high', tags: 'a, b', 'Q (2)': 7, empty: null, late: null },
      { priority: null, tags: null, 'Q (2)': null, empty: null, late: 1 },
    ]);
  });

  it('that a submission lacks are left out of its row without skipped questions', () => {
    const given = ['a', 'b'].map((field_id) => [{ field_id, value: 1 }]);
    const items = jsonOf(submissionsWith(given), { output: 'row', includeSkippedQuestions: false });
    expect(items.map(({ a, b }) => [a, b])).toEqual([
      [1, undefined],
      [undefined, 1],
    ]);
  });

  it('of other shapes pass through, and one called __proto__ does no harm', () => {
    const given = [
      { field_id: 'odd', data: { other: 1 } },
      { field_id: 'bare', data: 'text' },
      { field_id: 'none', data: null },
      { field_id: 'link', data: { value: 'https://x.test/a' } },
      { name: 'Priority', value: 'high' },
      { field_id: 'own', name: 'Priority', value: 'low' },
      { field_id: 7, value: 'seven' },
      { field_id: 'direct', value: ['a'] },
      { field_id: '__proto__', value: 'polluted' },
      { id: '1', data: { value: 'x' } },
      { some: 'thing' },
      'text',
      null,
    ];
    const texts = { Priority: 'high', own: 'low', bare: 'text', none: null, link: 'https://x.test/a' };
    const named = { 7: 'seven', ...texts, 'Column 10': 'x', 'Column 12': 'text' };
    const values = { odd: { other: 1 }, direct: ['a'], '__proto__ (2)': 'polluted', 'Column 11': { some: 'thing' } };
    expect(customColumns(given)).toEqual({ ...named, ...values });
    const cells = { odd: '{"other":1}', direct: 'a', '__proto__ (2)': 'polluted', 'Column 11': '{"some":"thing"}' };
    expect(rows(given)).toMatchObject([{ ...named, ...cells }]);
  });

  it.each([[null], [{ priority: 'high' }]])('may come as %j in place of a list', (given) => {
    expect(customColumns(given)).toEqual(given ?? {});
  });
});

describe('the key of a file', () => {
  const file = { name: 'a.txt', url: 'https://x.test/a' };
  const keysOf = (questions: Question[], answered = questions, output: OutputOptions['output'] = 'simplified') => {
    const options = optionsOf({ output, downloadFiles: true });
    const responses = answered.map((each) => ({ ...each, value: [file, file] }));
    const items = itemsOf([{ responses }], options, formOf(questions));
    return items.flatMap(({ files }) => files.map(({ key }) => key));
  };

  it.each([
    ['Lebenslauf (PDF, max. 5 MB)!', 'Lebenslauf_PDF_max_5_MB'],
    ['रिज़्यूमे', 'रिज़्यूमे'],
    ['2026-cv_final', '2026-cv_final'],
    ['???', 'File'],
    ['__proto__', 'proto___2'],
  ])('begins with the label %s as %s, and ends with the number of the file', (text, key) => {
    expect(keysOf([question('q', text, 1)])).toEqual([`${key}_1`, `${key}_2`]);
  });

  it.each(['simplified', 'row', 'raw'] as const)('is the same whichever questions were answered (%s)', (output) => {
    const asked = ['CV', 'CV', 'CV?', 'CV (2)'].map((text, index) => question(`q${index}`, text, index));
    const all = ['CV', 'CV_2', 'CV_3', 'CV_2_2'].map((key) => [`${key}_1`, `${key}_2`]);
    expect(keysOf(asked, asked, output)).toEqual(all.flat());
    expect(asked.map((each) => keysOf(asked, [each], output))).toEqual(all);
  });
});
