import { createHarness, MINUTE, SECOND, START, type HarnessOptions, type TriggerHarness } from './harness';

let harness: TriggerHarness;
const QUESTIONS = [
  { label: 'Full name', kind: 'short_text' },
  { label: 'Files', kind: 'file_upload' },
];
const begin = async (options?: HarnessOptions) => {
  harness = await createHarness({ output: 'simplified', ...options });
  harness.emulator.workspace.updateForm(harness.formId, { questions: QUESTIONS });
};
const fetchTestEvent = async () => await harness.poll({ mode: 'manual' });

afterEach(async () => await harness.close());

describe('Fetch Test Event', () => {
  it('shows the newest submission, and changes nothing', async () => {
    await begin();
    await harness.activate();
    harness.insertMany(3, (index) => ({ createdAt: START - index * SECOND }));
    const newest = harness.insert({ createdAt: START + SECOND });
    const event = await fetchTestEvent();
    expect(event.ids).toEqual([newest]);
    expect(event.staticData).toEqual(event.staticDataBefore);
    expect((await harness.pollNextMinute()).ids).toHaveLength(4);
  });

  it.each(['simplified', 'row', 'raw'])(
    'shows a sample made from the questions of a form without a submission, marked as a sample (%s)',
    async (output) => {
      await begin({ output });
      const event = await fetchTestEvent();
      expect(event.error).toBeUndefined();
      expect(event.items).toHaveLength(1);
      const text = JSON.stringify(event.items);
      for (const { label } of QUESTIONS) expect(text).toContain(label);
      expect(text).toMatch(/sample/i);
      expect(Object.values(event.staticData)).toEqual([{}]);
    },
  );

  it('shows one sample for several forms without a submission', async () => {
    await begin({ transport: 'inject', parameters: { watch: 'active' } });
    harness.emulator.workspace.addForm({ title: 'Other' });
    const event = await fetchTestEvent();
    expect(event.error).toBeUndefined();
    expect(event.items).toHaveLength(1);
    expect(JSON.stringify(event.items)).toMatch(/sample/i);
  });

  it('shows the submission of the form that has one, and no sample, when the others are empty', async () => {
    await begin({ transport: 'inject', parameters: { watch: 'active' } });
    const other = harness.emulator.workspace.addForm({ title: 'Other' }).id;
    const id = harness.insert({}, other);
    expect((await fetchTestEvent()).ids).toEqual([id]);
  });

  it('never lets a sample count as delivered: the first submission starts the workflow', async () => {
    await begin();
    await fetchTestEvent();
    await harness.activate();
    harness.advance(MINUTE);
    const id = harness.insert();
    expect((await harness.poll()).ids).toEqual([id]);
  });

  it('fails with the reason when the form cannot be read', async () => {
    await begin();
    harness.emulator.fail({ with: { status: 404, body: { error: 'Form does not exist.' } } });
    expect((await fetchTestEvent()).error?.message).toBe('Form not found');
  });
});
