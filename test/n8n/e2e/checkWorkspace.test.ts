import { exampleTools, jsonOf, valuesNode } from './support/examples.ts';
import { useTestInstance } from './support/instance.ts';

/** The example "Check your workspace". */
describe('the check of a workspace', () => {
  const instance = useTestInstance();
  const { imported } = exampleTools(instance);
  const person = { 'full-name': { first_name: 'Zacharias', last_name: 'Quillfeather' } };
  beforeAll(() => {
    const { emulator, formId } = instance();
    const { questions = [] } = emulator.workspace.form(formId('Contact us')) ?? {};
    const form = emulator.workspace.addForm({ title: 'Largest', questions });
    const now = Date.now();
    for (let index = 0; index < 120; index++) {
      const answers = { ...person, 'email-address': `z${index}@example.org`, 'type-a-question-2': '[1]' };
      // The newest two have one time.
      const minutes = Math.max(120 - index, 2);
      emulator.workspace.addSubmission(form.id, { createdAt: now - minutes * 60_000, answers });
    }
  });

  /** Runs the example, and returns its table and its text. */
  async function check() {
    const { run, emulator } = instance();
    const Workspace = valuesNode({ address: `${emulator.url}/` });
    const execution = await run(imported('check-your-workspace.json', { Workspace }));
    expect(execution).toMatchObject({ status: 'success' });
    const table = jsonOf(execution, 'Table') as Array<Record<'assumption' | 'seen' | 'result', string>>;
    const [{ text } = { text: '' }] = jsonOf(execution, 'Text to Paste') as Array<Record<'text', string>>;
    return { table, text, differing: table.filter(({ result }) => result === 'DIFFERS').map((row) => row.assumption) };
  }

  it('agrees with a service as we think it is, checks everything, only reads, and shows nothing personal', async () => {
    const { table, text, differing } = await check();
    expect(differing).toEqual([]);
    expect(table.filter(({ result }) => result === 'not checked').map(({ assumption }) => assumption)).toEqual([
      // The largest form of the sample has neither.
      'Custom columns are { id, field_id, data: { value } } or { …, data: { values } }',
      'Uploaded files are on app.neetoform.com',
    ]);
    const { requests, workspace, url, apiKey } = instance().emulator;
    expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(requests.length).toBeGreaterThan(25);
    expect(requests.length).toBeLessThan(40);
    expect(text.split('\n')).toHaveLength(table.length + 2);
    expect(text).toContain("| 'page_size' is at most 100 | 100 rows of 120 when 250 were asked for | agrees |");
    expect(text).toContain('more than one page is the number of its rows | total_records 120, 120 rows | agrees |');
    expect(text).toContain('| A page behind the end is an empty list | status 200, 0 rows | agrees |');
    expect(text).toContain(
      "| 'current_page_number' is the page that was asked for | 1, 2, 2, 2, 2 for 1, 2, 2, 2, 2 | agrees |",
    );
    expect(text).toContain('| Do rows of one time come in the same order twice? | 1 of 1 pairs do | open question |');
    expect(text).toMatch(/All shapes of answers are known \| .*name \{ first_name, last_name \}/);
    const personal = [/zacharias|quillfeather|@|Largest/i, /\b203\.0\.113\./, new RegExp(`${url}|${apiKey}`)];
    for (const pattern of personal) expect(text).not.toMatch(pattern);
    for (const { id } of [...workspace.forms, ...workspace.members]) expect(text).not.toContain(id);
  }, 200_000);

  it('notices a smaller page, and a bound that is ignored', async () => {
    instance().emulator.quirks.pageSizeCap = 50;
    instance().emulator.fail({
      when: { match: ({ query }) => 'submitted_after' in query, times: Infinity },
      with: {
        rewrite: ({ submissions: [row, ...others] = [], ...list }) => ({
          ...list,
          submissions: [{ ...row, created_at: '2020-01-01T00:00:00.000Z' }, ...others],
        }),
      },
    });
    expect((await check()).differing).toEqual([
      "'page_size' is at most 100",
      'submitted_after includes its own millisecond, and nothing before it',
    ]);
  }, 200_000);

  it('tells that rows of one time change their order, without taking that for another order of the list', async () => {
    let isTurned = false;
    instance().emulator.fail({
      when: { path: /submissions$/, times: Infinity },
      with: {
        rewrite: ({ submissions = [], ...list }) => {
          isTurned = !isTurned;
          const [first, second, ...others] = submissions;
          if (!isTurned || first?.['created_at'] !== second?.['created_at']) return { ...list, submissions };
          return { ...list, submissions: [second, first, ...others] };
        },
      },
    });
    const { table, differing } = await check();
    expect(table).toContainEqual({
      assumption: 'Do rows of one time come in the same order twice?',
      seen: '0 of 1 pairs do',
      result: 'open question',
    });
    expect(differing).toEqual([]);
  }, 200_000);

  it('notices a total that counts what is not shown, pages that begin at 0, and a refused page behind the end', async () => {
    const { emulator } = instance();
    emulator.fail({
      when: { path: /submissions$/, times: Infinity },
      with: {
        rewrite: ({ submissions = [], pagination, ...list }, reply) => {
          const said = pagination as Record<'total_records' | 'current_page_number', number>;
          if (submissions.length === 0) reply.code(422);
          const total_records = said.total_records + 5;
          const shown = { ...said, total_records, current_page_number: said.current_page_number - 1 };
          return { ...list, submissions, pagination: shown, total_count: total_records };
        },
      },
    });
    expect((await check()).differing).toEqual(
      expect.arrayContaining([
        'The total of a form with more than one page is the number of its rows',
        'A page behind the end is an empty list',
        "'current_page_number' is the page that was asked for",
      ]),
    );
  }, 200_000);
});
