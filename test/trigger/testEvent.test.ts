import { SECOND, START, substance } from './outcome';
import { FORBIDDEN, type Setting, useTrigger } from './triggerHarness';

const questions = [
  { label: 'Full name', kind: 'short_text' },
  { label: 'Files', kind: 'file_upload' },
];
const harness = useTrigger({ output: 'simplified', questions });

it.each(['one', 'allActive'] as const)(
  'Fetch Test Event shows the newest submission of them all, and changes nothing (Trigger On: %s)',
  async (triggerOn) => {
    await harness.beginActive({ triggerOn });
    const place = (nth: number) => (triggerOn === 'one' ? 0 : nth);
    harness.submit({ form: place(0), createdAt: START });
    const newest = harness.submit({ form: place(1), createdAt: START + 2 });
    harness.submit({ form: place(2), createdAt: START + 1 });
    harness.advance(SECOND);
    const { ids, requests, staticData, staticDataBefore } = await harness.fetchTestEvent();
    expect(ids).toEqual([newest]);
    // It asks for no more than one submission of each form.
    const pages = requests.filter(({ path }) => path.endsWith('/submissions'));
    expect(pages.map(({ query }) => query['page_size'])).toEqual(harness.forms.map(() => '1'));
    expect(staticData).toEqual(staticDataBefore);
    await harness.pollUntilEmpty();
    expect(harness.delivered.toSorted()).toEqual(harness.submitted.toSorted());
  },
);

it.each(['row', 'raw'])(
  'Fetch Test Event shows a sample made from the questions of a form without a submission, marked as a sample (%s)',
  async (output) => {
    await harness.begin({ output });
    const { items, staticData } = await harness.fetchTestEvent();
    expect(items).toHaveLength(1);
    const text = JSON.stringify(items);
    for (const { label } of questions) expect(text).toContain(label);
    expect(Object.entries(items[0]?.json ?? {})[0]).toEqual(['is_sample', true]);
    expect(substance(staticData)).toEqual([]);
  },
);

it('Fetch Test Event shows a submission although the list of forms says that there is none yet', async () => {
  await harness.begin({ triggerOn: 'allActive' });
  harness.fixCounts(0);
  const id = harness.submit({ form: 1 });
  expect((await harness.fetchTestEvent()).ids).toEqual([id]);
});

it('Fetch Test Event shows the newest of the forms that can be read, and fails when none can', async () => {
  await harness.begin({ triggerOn: 'several' });
  const id = harness.submit({ form: 1 });
  harness.submit({ form: 0 });
  const stop = harness.breakService(FORBIDDEN, harness.forms[0]);
  expect((await harness.fetchTestEvent()).ids).toEqual([id]);
  stop();
  harness.breakService(FORBIDDEN, /submissions/);
  expect((await harness.fetchTestEvent()).error?.message).toContain('Not allowed');
});

it.each<[triggerOn: Setting['triggerOn'], field: string]>([
  ['one', 'Form'],
  ['several', 'Forms'],
  ['allActive', 'Trigger On'],
])('Fetch Test Event names the field of a form that does not exist (Trigger On %s: %s)', async (triggerOn, field) => {
  await harness.begin({ triggerOn });
  harness.breakService({ status: 404, body: { error: 'Form does not exist.' } }, /submissions/);
  const description = expect.stringContaining(`choose another in '${field}'.`) as string;
  expect((await harness.fetchTestEvent()).error).toMatchObject({ description });
});

it('Fetch Test Event of an active workflow does not make a publication of its next poll', async () => {
  await harness.beginActive();
  harness.submit();
  await harness.fetchTestEvent();
  harness.credentials.here = harness.credentials.elsewhere;
  expect((await harness.pollNextMinute()).error?.message).toContain('another workspace');
});

it('Fetch Test Event shows a submission although the key may not read the questions of its form', async () => {
  await harness.begin();
  harness.breakService(FORBIDDEN, /forms\/[^/]+$/);
  const id = harness.submit();
  expect((await harness.fetchTestEvent()).ids).toEqual([id]);
});

it('Fetch Test Event fails with what to do when the workspace has no active form', async () => {
  await harness.begin({ triggerOn: 'allActive', count: 1 });
  harness.archive(0);
  expect((await harness.fetchTestEvent()).error).toMatchObject({
    message: 'The workspace has no active form',
    description: 'Create a form in NeetoForm, then fetch a test event again.',
  });
});
