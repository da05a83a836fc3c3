import { compare, DAY, EACH_ONCE, idOf, MINUTE } from './outcome';
import { useTrigger } from './triggerHarness';

const harness = useTrigger();

describe('two triggers of one workflow with one node ID', () => {
  const NAMES = ['NeetoForm Trigger', 'Copied trigger'];
  const newTwins = () => harness.newWorkflow(NAMES.map((name) => ({ id: 'same', name })));

  const expectRefused = (results: Map<string, unknown>, name: string) => {
    const [message, others] = [/have the same node ID/, NAMES.filter((other) => other !== name)];
    const description =
      'What a trigger has delivered is remembered by its node ID. With one ID, each trigger would leave out what the other has delivered. Delete one of the two, add it again, and publish the workflow.';
    expect(results.get(name)).toMatchObject({ message: expect.stringMatching(message) as unknown, description });
    for (const each of [name, ...others]) expect(String(results.get(name))).toContain(`'${each}'`);
  };

  it('are both refused at activation, with the names of both', async () => {
    await harness.begin();
    const results = await newTwins().activateAll();
    for (const name of NAMES) expectRefused(results, name);
  });

  it.each(['memory', 'scheduler', 'durable'] as const)(
    'are refused at activation with the names of both, and what was active before goes on (%s)',
    async (scheduler) => {
      await harness.beginActive({ scheduler });
      await harness.pollNextMinute(() => harness.submit());
      const [, copied = ''] = NAMES;
      harness.workflow.edit((nodes) => [...nodes, ...nodes.map((node) => ({ ...node, name: copied }))]);
      harness.submit();
      expectRefused(await harness.workflow.activateAll('update'), copied);
      await harness.pollNextMinute(() => harness.submit());
      await harness.expectEachOnce();
    },
  );

  it.each([{ disabled: true }, { type: 'n8n-nodes-base.noOp' }])(
    'are no twins when one of them is %j',
    async (change) => {
      await harness.begin();
      const workflow = newTwins();
      workflow.edit((nodes) => nodes.map((node, index) => ({ ...node, ...(index === 1 && change) })));
      expect((await workflow.activateAll()).get('NeetoForm Trigger')).toBeNull();
    },
  );
});

it.each(['memory', 'scheduler', 'durable'] as const)(
  'two triggers of one workflow deliver each submission once when n8n stores the data of one over that of the other (%s)',
  async (scheduler) => {
    await harness.begin({ scheduler, count: 2 });
    const workflow = harness.newWorkflowOfEachForm();
    await workflow.activateAll();
    const delivered: string[] = [];
    for (let minute = 0; minute < 12; minute++) {
      harness.advance(MINUTE);
      if (minute < 2) harness.submitToAll();
      const nodes = ['node-0', 'node-1'].map((id) => workflow.nodeOf(id));
      const polls = await Promise.all(nodes.map(async (node) => await workflow.poll({}, node)));
      delivered.push(...polls.flatMap((items) => items?.flat() ?? []).map(({ json }) => idOf(json)));
    }
    expect(compare(delivered, harness.submitted)).toEqual(EACH_ONCE);
  },
);

it('a trigger without submissions for 40 days keeps its state through a new name and a restart, although others store theirs', async () => {
  await harness.begin({ count: 2 });
  // The first one is polled without news, the second has some.
  const workflow = harness.newWorkflowOfEachForm();
  await workflow.activateAll();
  const pollBoth = async () => {
    harness.advance(20 * DAY);
    for (const id of ['node-0', 'node-1']) await workflow.poll({}, workflow.nodeOf(id));
  };
  await pollBoth();
  harness.submit({ form: 1 });
  await pollBoth();
  const id = harness.submit({ form: 0 });
  workflow.change({ name: 'New answers' });
  // The next process only knows what n8n has stored.
  workflow.restart();
  const results = await workflow.activateAll('init');
  const emitted = results.get('New answers');
  expect(Array.isArray(emitted) && emitted.flat().map(({ json }) => idOf(json))).toEqual([id]);
});
