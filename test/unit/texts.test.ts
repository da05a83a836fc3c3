import type { IDataObject } from 'n8n-workflow';

import type { OutputOptions } from '../../nodes/NeetoForm/submissions/outputOptions';
import type { FormDetails } from '../../nodes/NeetoForm/submissions/questions';
import { sampleSubmission } from '../../nodes/NeetoForm/submissions/sample';
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

describe('Add Text', () => {
  it.each(['row', 'simplified'] as const)(
    'adds all answers as text and as a table to %s, without skipped ones',
    (output) => {
      const form = formWith(['Name', 'name'], ['Colors'], ['Skipped'], ['Blank'], ['Photo', 'file_upload']);
      const values = [
        { fullName: 'Mia Roe' },
        ['Red', 'Blue'],
        undefined,
        ' ',
        { files: [{ name: 'a', url: 'https://x.test/a' }] },
      ];
      expect(itemOf(form, values, { output })).toMatchObject({
        text: 'Name: Mia Roe\nColors: Red, Blue\nPhoto: https://x.test/a',
        html:
          '<table><tr><th align="left" valign="top">Name</th><td>Mia Roe</td></tr>' +
          '<tr><th align="left" valign="top">Colors</th><td>Red, Blue</td></tr>' +
          '<tr><th align="left" valign="top">Photo</th><td>https://x.test/a</td></tr></table>',
      });
    },
  );

  it('uses the labels and the order of the form, and keeps to the chosen questions', () => {
    const form = formWith([' Name \n\n(first) '], ['Secret'], ['']);
    const item = itemOf(form, ['Mia', 'x', 7], { answerNames: 'columnName', questionsToInclude: ['q2', 'q0'] });
    expect(item['text']).toBe('Name (first): Mia\nq2: 7');
    expect(Object.keys(item)).toEqual([
      'created_at',
      'name_first',
      'q2',
      'text',
      'html',
      'form_title',
      'form_id',
      'id',
    ]);
  });

  it('lets no label and no answer become markup', () => {
    const hostile = `<img src=x onerror="alert('1')">&amp;`;
    const { text, html } = itemOf(formWith([hostile]), [`${hostile}\r\n</td>\r</table><script>`]);
    const escaped = '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;amp;';
    expect(html).toBe(
      `<table><tr><th align="left" valign="top">${escaped}</th><td>${escaped}<br>&lt;/td&gt;<br>&lt;/table&gt;&lt;script&gt;</td></tr></table>`,
    );
    expect(text).toBe(`${hostile}: ${hostile}\r\n</td>\r</table><script>`);
  });

  it('adds nothing to raw output, and an empty table where nothing was answered', () => {
    expect(itemOf(formWith(['Name']), ['Mia'], { output: 'raw' })).not.toHaveProperty('text');
    expect(itemOf(formWith(['Name']), [])).toMatchObject({ text: '', html: '<table></table>' });
  });
});

describe('a sample submission', () => {
  const now = Date.parse('2026-02-09T08:00:00.000Z');
  const row = (...kinds: string[]) => {
    const form = formWith(...kinds.map((kind): [string, string] => [kind, kind]));
    return itemsOf([sampleSubmission(form, now).data], optionsOf(), form)[0]?.json;
  };

  it('answers every question in the shape of its kind', () => {
    expect(
      sampleSubmission(formWith(['Name', 'name'], ['CV', 'file_upload'], ['Tags', 'multiple_choice']), now),
    ).toMatchObject({
      id: 'sample-submission',
      createdMs: now,
      data: {
        responses: [
          { slug: 'q0', label: 'Name', kind: 'name', value: { first_name: 'Jane', last_name: 'Doe' } },
          { slug: 'q1', value: { files: [{ name: 'sample.pdf', url: 'https://files.example.com/sample.pdf' }] } },
          { slug: 'q2', value: ['First choice', 'Second choice'] },
        ],
      },
    });
  });

  it('is a row of what real answers look like', () => {
    const kinds =
      'name email phone address file_upload checkbox star_rating opinion_scale decimal date website multiline';
    expect(Object.values(row(...kinds.split(' ')) ?? {})).toEqual([
      '2026-02-09T08:00:00.000Z',
      'Jane Doe',
      'jane@example.com',
      '+1 202 555 0100',
      '1 Example Street, Springfield',
      'https://files.example.com/sample.pdf',
      'First choice, Second choice',
      4,
      4,
      4,
      '2026-02-09',
      'https://example.com',
      'Sample answer',
      'Form',
      'form-1',
      'sample-submission',
    ]);
  });
});
