import { createHarness, HOUR, MINUTE, type HarnessOptions, type TriggerHarness } from './harness';

let harness: TriggerHarness;

/** An active trigger whose On Error setting continues with the error output. */
async function begin(options: HarnessOptions = {}): Promise<void> {
  harness = await createHarness({ transport: 'inject', onError: 'continueErrorOutput', ...options });
  await harness.activate();
  harness.advance(MINUTE);
}
const breakService = (error = 'Down for maintenance') =>
  harness.emulator.fail({ when: { every: 1 }, with: { status: 503, body: { error } } });
/** The items of the next minute's poll, by output. */
const pollOutputs = async () => {
  harness.advance(MINUTE);
  return (await harness.poller.poll())?.map((items) => items.map(({ json }) => json)) ?? null;
};

afterEach(async () => await harness.close());

describe.each(['memory', 'durable'] as const)('with On Error set to the error output (%s)', (scheduler) => {
  it('a failing poll emits one item with the error on that output, and the next good one delivers', async () => {
    await begin({ scheduler });
    const stop = breakService();
    const id = harness.insert();
    const before = harness.state?.forms;
    const [, errors = []] = (await pollOutputs()) ?? [];
    expect(errors).toHaveLength(1);
    expect(errors[0]?.error).toContain('Down for maintenance');
    expect(harness.state?.forms).toEqual(before);
    stop();
    expect((await harness.pollNextMinute()).ids).toEqual([id]);
  });

  it('the same failure is emitted once an hour, another one at once', async () => {
    await begin({ scheduler });
    const stop = breakService();
    const outputs = [];
    for (const end = harness.now + HOUR; harness.now < end;) outputs.push(await pollOutputs());
    expect(outputs.filter((output) => output !== null)).toHaveLength(1);
    expect(await pollOutputs()).not.toBeNull();
    stop();
    harness.emulator.fail({ when: { every: 1 }, with: { status: 403, body: { error: 'Not allowed' } } });
    const [, errors = []] = (await pollOutputs()) ?? [];
    expect(errors[0]?.error).toContain('Not allowed');
  });

  it('submissions go to the first output', async () => {
    await begin({ scheduler });
    const id = harness.insert();
    expect(await pollOutputs()).toEqual([[expect.objectContaining({ id })], []]);
  });
});

it('an activation that fails is refused all the same', async () => {
  harness = await createHarness({ transport: 'inject', onError: 'continueErrorOutput' });
  breakService();
  expect((await harness.activate()).error?.message).toContain('Down for maintenance');
});
