import { SECOND, START, substance } from './outcome';
import { begin as beginForm, beginActive, FORBIDDEN, forms, harness, type Setting } from './triggerHarness';

const questions = [
  { label: 'Full name', kind: 'short_text' },
  { label: 'Files', kind: 'file_upload' },
];
const begin = async (setting?: Setting) => {
  await beginForm({ output: 'simplified', ...setting });
  harness.emulator.workspace.updateForm(harness.formId, { questions });
};
const fetchTestEvent = async () => await harness.poll({ mode: 'manual' });

it.each(['one', 'allActive'] as const)(
  'Fetch Test Event shows the newest submission of them all, and changes nothing (Trigger On: %s)',
  async (triggerOn) => {
    await beginActive({ triggerOn });
    const place = (nth: number) => (triggerOn === 'one' ? 0 : nth);
    harness.submit(place(0), { createdAt: START });
    const newest = harness.submit(place(1), { createdAt: START + 2 });
    harness.submit(place(2), { createdAt: START + 1 });
    harness.advance(SECOND);
    const { ids, staticData, staticDataBefore } = await fetchTestEvent();
    expect(ids).toEqual([newest]);
    expect(staticData).toEqual(staticDataBefore);
    await harness.pollUntilEmpty();
    expect(harness.delivered.slice(1).toSorted()).toEqual(harness.inserted.toSorted());
  },
);

it.each(['row', 'raw'])(
  'Fetch Test Event shows a sample made from the questions of a form without a submission, marked as a sample (%s)',
  async (output) => {
    await begin({ output });
    const { items, staticData } = await fetchTestEvent();
    expect(items).toHaveLength(1);
    const text = JSON.stringify(items);
    for (const { label } of questions) expect(text).toContain(label);
    expect(Object.entries(items[0]?.json ?? {})[0]).toEqual(['is_sample', true]);
    expect(substance(staticData)).toEqual([]);
  },
);

it('Fetch Test Event shows a submission although the list of forms says that there is none yet', async () => {
  await begin({ triggerOn: 'allActive' });
  harness.fixCounts(0);
  const id = harness.submit(1);
  expect((await fetchTestEvent()).ids).toEqual([id]);
});

it('Fetch Test Event shows the newest of the forms that can be read, and fails when none can', async () => {
  await begin({ triggerOn: 'several' });
  const id = harness.submit(1);
  harness.submit(0);
  const stop = harness.breakService(FORBIDDEN, forms[0]);
  expect((await fetchTestEvent()).ids).toEqual([id]);
  stop();
  harness.breakService(FORBIDDEN, /submissions/);
  expect((await fetchTestEvent()).error?.message).toContain('Not allowed');
});

it('Fetch Test Event fails with what to do when the workspace has no active form', async () => {
  await begin({ triggerOn: 'allActive', count: 1 });
  harness.archive(0);
  expect((await fetchTestEvent()).error).toMatchObject({
    message: 'The workspace has no active form',
    description: 'Create a form in NeetoForm, then fetch a test event again.',
  });
});
