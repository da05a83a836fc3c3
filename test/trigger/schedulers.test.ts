import { compare, DAY, EACH_ONCE, idsOf, MINUTE, SECOND, START } from './harness';
import { begin, beginActive, expectEachOnce, harness } from './setup';

const OTHER = 'https://moved.neetoform.com';
const SETTING = 'N8N_POLLER_DURABLE_CURSORS_ENABLED';

/** The errors of failed executions, as text. */
const failures = (outcomes: Array<{ error: Error | undefined }>) =>
  [...outcomes.map(({ error }) => error), ...harness.poller.reported]
    .filter((error) => error !== undefined)
    .map((error) => `${error.message} ${JSON.stringify(error)}`);

describe.each(['memory', 'durable', 'scheduler'] as const)('with state kept as n8n does it (%s)', (scheduler) => {
  it('delivers what is submitted after the address of the credential was changed without publishing', async () => {
    await beginActive({ transport: 'inject', scheduler });
    await harness.pollNextMinute(() => harness.insert());
    harness.changeAddress(OTHER);
    const polls = [await harness.pollNextMinute(), ...(await harness.pollFor(6 * MINUTE, () => harness.insert()))];
    expect(compare(idsOf(polls), harness.inserted.slice(1))).toEqual(EACH_ONCE);
    // Nothing failed; a warning names the setting.
    for (const failure of failures(polls)) expect(failure).toContain(SETTING);
    expect(failures(polls).length).toBeLessThanOrEqual(scheduler === 'scheduler' ? 1 : 0);
  });
});

it('says which setting is missing when n8n, without durable cursors, starts again after the address was changed', async () => {
  await beginActive({ transport: 'inject', scheduler: 'scheduler' });
  await harness.pollNextMinute(() => harness.insert());
  harness.changeAddress(OTHER);
  await harness.pollNextMinute();
  await harness.restart();
  const polls = await harness.pollFor(6 * MINUTE, () => harness.insert());
  expect(failures(polls)).toContainEqual(expect.stringContaining(SETTING));
  // It is told once in an hour at most, and what is submitted once the process knows is delivered.
  expect(failures(polls)).toHaveLength(1);
  expect(idsOf(polls)).toEqual(harness.inserted.slice(-idsOf(polls).length));
  expect(idsOf(polls).length).toBeGreaterThanOrEqual(5);
});

describe('two triggers of one workflow with one node ID', () => {
  it('are refused at activation with the names of both, and what was active before goes on', async () => {
    await begin({ transport: 'inject' });
    const parameters = harness.parameters();
    const twins = ['NeetoForm Trigger', 'Copied trigger'].map((name) => ({ id: 'same', name, parameters }));
    const results = [...(await harness.newWorkflow(twins).activate()).values()];
    const errors = results.filter((result) => result instanceof Error);
    expect(errors.length).toBeGreaterThanOrEqual(1);
    for (const error of errors) {
      const text = `${error.message} ${JSON.stringify(error)}`;
      for (const { name } of twins) expect(text).toContain(name);
    }
  });

  it('are not seen where a trigger was renamed, or another workflow has a trigger with that ID', async () => {
    await beginActive({ transport: 'inject' });
    harness.poller.change({ name: 'On answer' });
    expect((await harness.activate('update')).error).toBeUndefined();
    expect(await harness.newPoller().activate()).toBeNull();
    await harness.pollNextMinute(() => harness.insert());
    await expectEachOnce();
  });
});

it('keeps what comes between an activation and the next poll, however n8n stores', async () => {
  for (const scheduler of ['memory', 'durable', 'scheduler'] as const) {
    await begin({ transport: 'inject', scheduler });
    harness.insert({ createdAt: START - DAY });
    await harness.activate();
    const id = harness.insert({ createdAt: START + SECOND });
    await expectEachOnce([id]);
  }
});
