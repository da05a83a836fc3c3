import { type Emulator, type FaultEffect, startEmulator } from '../../emulator/index.ts';
import { addForms, addSubmissions, KEY, range, useHarness } from '../support/harness';
import { clearLog, deepText, loggedText } from '../support/engine';
import { OPERATIONS } from '../support/operations';

const harness = useHarness();

/** Another host, where nothing may ever arrive. */
let trap: Emulator;
beforeEach(async () => {
  trap = await startEmulator({ apiKey: KEY });
});
afterEach(async () => {
  await trap.close();
  expect(trap.requests).toEqual([]);
});

/** An error, and what n8n's log got meanwhile, as text. */
async function traces(run: Promise<unknown>): Promise<string> {
  clearLog();
  const outcome = await run.catch((error: unknown) => error);
  return deepText(outcome) + loggedText();
}

describe.each(OPERATIONS)('$title', ({ parameters }) => {
  it('follows no redirect to another host', async () => {
    harness.allowUndocumented();
    for (const status of [301, 302, 303, 307, 308]) {
      harness.emulator.fail({ with: { status, headers: { location: `${trap.url}/api/external/v2/forms` } } });
      await harness.fail(parameters);
    }
    expect(harness.emulator.requests).toHaveLength(5);
  });

  it('leaves the key in no error and no log, whatever goes wrong', async () => {
    harness.allowUndocumented();
    const effects: FaultEffect[] = [
      { status: 400, body: { error: 'No' } },
      { status: 401, body: { error: 'No' } },
      { status: 404, body: '<html>' },
      { status: 422, body: { errors: ['No'] } },
      { status: 429, headers: { 'Retry-After': '3600' } },
      { status: 500, headers: { 'Retry-After': '3600' } },
      { status: 200, body: '<html>' },
      { status: 200, body: { unexpected: true } },
    ];
    for (const effect of effects) {
      const stop = harness.emulator.fail({ with: effect });
      expect(await traces(harness.run(parameters))).not.toContain(KEY);
      expect(await traces(harness.run(parameters, { continueOnFail: true }))).not.toContain(KEY);
      stop();
    }
  });
});

it('the key is in no error and no log when the connection breaks', async () => {
  harness.allowUndocumented();
  const create = { resource: 'form', operation: 'create', title: 'x', requestOptions: { timeout: 80 } };
  for (const effect of [{ reset: true }, { hang: true }, { truncate: true }, { malformed: true }] as const) {
    harness.emulator.fail({ with: effect });
    const text = await traces(harness.run(create));
    expect(text).toMatch(/connection|in time|broken JSON/);
    expect(text).not.toContain(KEY);
  }
});

it('a redirect is not followed in the middle of a list either', async () => {
  harness.allowUndocumented();
  const [form] = addForms(harness.emulator, 1);
  if (form) addSubmissions(harness.emulator, form, 450);
  harness.emulator.fail({ when: { nth: 3 }, with: { redirect: `${trap.url}/x` } });
  const { message } = await harness.fail({
    resource: 'submission',
    operation: 'getAll',
    formId: form?.id,
    returnAll: true,
  });
  expect(message).toContain('was not followed');
});

it('files that respondents uploaded are not fetched unless the user asks for them', async () => {
  const form = harness.emulator.workspace.addForm({ title: 'Form', questions: [{ label: 'File' }] });
  for (const output of ['simplified', 'row', 'raw']) {
    harness.emulator.workspace.addSubmission(form.id, {
      answers: { file: { files: [{ name: 'a.pdf', url: `${trap.url}/files/a.pdf` }] } },
    });
    const items = await harness.run({ resource: 'submission', operation: 'getAll', formId: form.id, output });
    expect(JSON.stringify(items)).toContain(`${trap.url}/files/a.pdf`);
  }
  expect(harness.emulator.requests.filter(({ path }) => !path.startsWith('/api/external/'))).toEqual([]);
});

it('the key is in no item, and in no log of a run that went well', async () => {
  addForms(harness.emulator, 3);
  const text = await traces(
    harness.run(
      { resource: 'form', operation: 'getAll', returnAll: true },
      { items: range(3).map((index) => ({ index })) },
    ),
  );
  expect(text).toContain('Form 3');
  expect(text).not.toContain(KEY);
});
