import type { IDataObject } from 'n8n-workflow';

import type { OutputOptions } from '../../nodes/NeetoForm/parameters/outputOptions';
import type { FormDetails } from '../../nodes/NeetoForm/submissions/questions';
import { sampleSubmission } from '../../nodes/NeetoForm/submissions/sample';
import { words } from '../support/words';
import { formOf, itemsOf, optionsOf } from './items';

const formWith = (...questions: Array<[label: string, kind?: string]>) =>
  formOf(questions.map(([label, kind = ''], index) => ({ slug: `q${index}`, label, position: index, kind })));

/** The item of a submission with these answers; undefined was skipped. */
function itemOf(form: FormDetails, values: unknown[], more: Partial<OutputOptions> = {}): IDataObject {
  const responses = form.questions.flatMap((question, index) =>
    values[index] === undefined ? [] : [{ ...question, value: values[index] }],
  );
  return itemsOf([{ id: 'x', responses }], optionsOf({ addText: true, ...more }), form)[0]?.json ?? {};
}

/** A table of rows `[label, answer]` in HTML. */
function tableOf(...rows: Array<[label: string, answer: string]>): string {
  const style = 'style="border:1px solid #cccccc;padding:6px 10px;text-align:left;vertical-align:top"';
  const cells = rows.map(([label, answer]) => `<tr><th ${style}>${label}</th><td ${style}>${answer}</td></tr>`);
  return `<table style="border-collapse:collapse">${cells.join('')}</table>`;
}

describe('Add Text', () => {
  it.each(['row', 'simplified'] as const)(
    'adds all answers as text and as a table to %s, without skipped ones',
    (output) => {
      const form = formWith(['Name', 'name'], ['Colors'], ['Skipped'], ['Blank'], ['Photo', 'file_upload']);
      const photo = { files: [{ name: 'a', url: 'https://x.test/a' }] };
      const values = [{ fullName: 'Mia Roe' }, ['Red', 'Blue'], undefined, ' ', photo];
      expect(itemOf(form, values, { output })).toMatchObject({
        text: 'Name: Mia Roe\nColors: Red, Blue\nPhoto: https://x.test/a',
        html: tableOf(['Name', 'Mia Roe'], ['Colors', 'Red, Blue'], ['Photo', 'https://x.test/a']),
      });
    },
  );

  it('says 0 and false, too', () => {
    expect(itemOf(formWith(['Rating'], ['Agreed']), [0, false])['text']).toBe('Rating: 0\nAgreed: false');
  });

  it('uses the labels and the order of the form, and keeps to the chosen questions', () => {
    const form = formWith([' Name \n\n(first) '], ['Secret'], [' ']);
    const item = itemOf(form, ['Mia', 'x', 7], { answerNames: 'columnName', questionsToInclude: ['q2', 'q0'] });
    expect(item['text']).toBe('Name (first): Mia\nq2: 7');
    const names = words('created_at name_first q2 text html form_title form_id submission_id');
    expect(Object.keys(item)).toEqual(names);
  });

  it('lets no label and no answer become markup', () => {
    const hostile = `<img src=x onerror="alert('1')">&amp;`;
    const { text, html } = itemOf(formWith([hostile]), [`${hostile}\r\n</td>\r</table><script>`]);
    const escaped = '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;amp;';
    expect(html).toBe(tableOf([escaped, `${escaped}<br>&lt;/td&gt;<br>&lt;/table&gt;&lt;script&gt;`]));
    expect(text).toBe(`${hostile}: ${hostile}\n    </td>\n    </table><script>`);
  });

  it.each(['\n', '\r', '\r\n', '\v', '\f', '\u0085', '\u2028', '\u2029'])(
    'lets no answer with the line break %j look like that of another question',
    (lineBreak) => {
      const { text, html } = itemOf(formWith(['Name'], ['Age']), [`Bob${lineBreak}Approved by manager: Yes`, 7]);
      expect(text).toBe('Name: Bob\n    Approved by manager: Yes\nAge: 7');
      expect(html).toBe(tableOf(['Name', 'Bob<br>Approved by manager: Yes'], ['Age', '7']));
    },
  );

  it('adds nothing to raw output, and an empty table where nothing was answered', () => {
    expect(itemOf(formWith(['Name']), ['Mia'], { output: 'raw' })).not.toHaveProperty('text');
    expect(itemOf(formWith(['Name']), [])).toMatchObject({ text: '', html: tableOf() });
  });
});

it('a sample submission is a row of what real answers look like, by the kind of each question', () => {
  const now = Date.parse('2026-02-09T08:00:00.000Z');
  const answer = (cell: unknown) => (kind: string) => [kind, cell] as [kind: string, cell: unknown];
  const answers: Array<[kind: string, cell: unknown]> = [
    ['name', 'Jane Doe'],
    ['email', 'jane@example.com'],
    ['e-mail', 'jane@example.com'],
    ['email_address', 'jane@example.com'],
    ['phone', '+1 202 555 0100'],
    ['phone_number', '+1 202 555 0100'],
    ['mobile', '+1 202 555 0100'],
    ['address', '1 Example Street, Springfield'],
    ...words('file image_upload attachment signature').map(answer('https://files.example.com/sample.pdf')),
    ...words('checkbox multiple multi_choice multi-select multiselect').map(answer('First choice, Second choice')),
    ...words('star_rating opinion_scale integer number decimal').map(answer(4)),
    ...words('date date_time').map(answer('2026-02-09')),
    ...words('website url link').map(answer('https://example.com')),
    ['multiline', 'Sample answer'],
  ];
  const inAnyCase = answers.flatMap(([kind, cell]) => [kind, kind.toUpperCase()].map(answer(cell)));
  const form = formWith(...inAnyCase.map(([kind]): [string, string] => [kind, kind]));
  const { createdMs, data } = sampleSubmission(form, now);
  expect(createdMs).toBe(now);
  expect(data).toMatchObject({ id: 'sample-submission', field_values: [] });
  const ids = { form_title: 'Form', form_id: 'form-1', submission_id: 'sample-submission' };
  const row = { created_at: '2026-02-09T08:00:00.000Z', ...Object.fromEntries(inAnyCase), ...ids };
  expect(itemsOf([data], optionsOf(), form).map(({ json }) => json)).toEqual([row]);
});
