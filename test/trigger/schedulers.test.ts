import { poll } from '../../nodes/NeetoForm/polling/poll';
import { compare, DAY, EACH_ONCE, idsOf, MINUTE, SECOND, START, type PollFunction } from './harness';
import { begin, beginActive, DOWN, expectEachOnce, harness } from './setup';

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

  it('keeps what comes between an activation and the next poll', async () => {
    await begin({ transport: 'inject', scheduler });
    harness.insert({ createdAt: START - DAY });
    await harness.activate();
    await expectEachOnce([harness.insert({ createdAt: START + SECOND })]);
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
  const NAMES = ['NeetoForm Trigger', 'Copied trigger'];
  const beginTwins = async () => {
    await begin({ transport: 'inject' });
    const parameters = harness.parameters();
    return harness.newWorkflow(NAMES.map((name) => ({ id: 'same', name, parameters })));
  };

  it('are refused at activation with the names of both, and what was active before goes on', async () => {
    const results = [...(await (await beginTwins()).activate()).values()];
    const errors = results.filter((result) => result instanceof Error);
    expect(errors.length).toBeGreaterThanOrEqual(1);
    for (const error of errors) {
      const text = `${error.message} ${JSON.stringify(error)}`;
      for (const name of NAMES) expect(text).toContain(name);
    }
  });

  it('are no twins when one of them is disabled', async () => {
    const workflow = await beginTwins();
    workflow.edit((nodes) => nodes.map((node, index) => ({ ...node, disabled: index === 1 })));
    expect((await workflow.activate()).get('NeetoForm Trigger')).toBeNull();
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

it.each([undefined, () => 36_000])(
  'a failing poll of the scheduler fails, whether n8n tells a budget or not',
  async (budget) => {
    const polls: PollFunction = async (context, clock) =>
      await poll(Object.assign(Object.create(context) as typeof context, { getPollBudgetMs: budget }), clock);
    await beginActive({ transport: 'inject', scheduler: 'scheduler', polls });
    await harness.pollNextMinute();
    harness.breakService(DOWN);
    expect((await harness.pollNextMinute()).error).toMatchObject({ httpCode: '503' });
    expect((await harness.pollNextMinute()).error).toMatchObject({ httpCode: '503' });
  },
);

it('a poll that n8n has given up emits nothing, and the next one delivers at once', async () => {
  await beginActive({ transport: 'inject', scheduler: 'durable' });
  await harness.pollNextMinute();
  const before = harness.storedStaticData;
  harness.insert();
  const { transport } = harness.inProcess;
  harness.inProcess.transport = async (options, send) => {
    const response = await transport(options, send);
    // The computer is so busy that even the deadline of the requests comes late.
    harness.localSkew += 50 * SECOND;
    return response;
  };
  expect((await harness.pollNextMinute()).ids).toBeNull();
  harness.poller.staticData = before;
  harness.inProcess.transport = transport;
  expect((await harness.pollNextMinute()).ids).toEqual(harness.inserted);
});
