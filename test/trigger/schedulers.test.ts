import type { IPollFunctions } from 'n8n-workflow';
import { compare, DAY, EACH_ONCE, idOf, MINUTE, SECOND } from './outcome';
import { DOWN, FORBIDDEN, type Setting, useTrigger } from './triggerHarness';

const harness = useTrigger();

describe.each(['memory', 'durable', 'scheduler'] as const)('with state kept as n8n does it (%s)', (scheduler) => {
  it.each([
    ['a minute', 0],
    ['a month', 31 * DAY],
  ])(
    'fails each poll, %s apart, while the credential leads to another workspace, and loses nothing',
    async (_, apart) => {
      await harness.beginActive({ scheduler });
      await harness.pollNextMinute(() => harness.submit());
      const { here, elsewhere } = harness.credentials;
      harness.credentials.here = elsewhere;
      for (let nth = 0; nth < 3; nth++) {
        harness.advance(apart);
        const { error, staticData, staticDataBefore, requests } = await harness.pollNextMinute(() => harness.submit());
        expect(error).toMatchObject({ description: expect.stringContaining('Unpublish the workflow') as unknown });
        expect([staticData, requests]).toEqual([staticDataBefore, []]);
      }
      expect((await harness.restart())?.error).toBeUndefined();
      expect((await harness.pollNextMinute()).error?.message).toContain('another workspace');
      harness.credentials.here = here;
      await harness.expectEachOnce();
    },
  );

  it('starts in another workspace with its new submissions when it is unpublished and published there', async () => {
    await harness.beginActive({ scheduler, options: { startFrom: '2026-02-01' } });
    harness.submit();
    harness.credentials.here = harness.credentials.elsewhere;
    // n8n leaves an unchanged trigger alone, whose credential has another content now.
    await harness.activate('update');
    expect((await harness.pollNextMinute()).error?.message).toContain('another workspace');
    harness.workflow.unpublish();
    expect(await harness.activate('update')).toMatchObject({ error: undefined, ids: null });
    await harness.expectEachOnce([harness.submit({ createdAt: harness.now + SECOND })]);
  });

  it('starts in another workspace when it is published with a credential of that', async () => {
    await harness.beginActive({ scheduler });
    harness.submit();
    const { credentials = {} } = harness.workflow.nodeOf();
    const elsewhere = { id: 'elsewhere', name: 'Credential of another workspace' };
    harness.workflow.change({
      credentials: Object.fromEntries(Object.keys(credentials).map((type) => [type, elsewhere])),
    });
    expect(await harness.activate('update')).toMatchObject({ error: undefined, ids: null });
    await harness.expectEachOnce([harness.submit({ createdAt: harness.now + SECOND })]);
  });
});

describe('two triggers of one workflow with one node ID', () => {
  const NAMES = ['NeetoForm Trigger', 'Copied trigger'];
  const newTwins = () => harness.newWorkflow(NAMES.map((name) => ({ id: 'same', name })));

  it('are refused at activation with the names of both, and what was active before goes on', async () => {
    await harness.begin();
    const results = [...(await newTwins().activateAll()).values()];
    const errors = results.filter((result) => result instanceof Error);
    expect(errors.length).toBeGreaterThanOrEqual(1);
    for (const error of errors) {
      const text = `${error.message} ${JSON.stringify(error)}`;
      for (const name of NAMES) expect(text).toContain(name);
    }
  });

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

it('a failing poll of the scheduler fails although n8n tells no budget', async () => {
  const prepare = (context: IPollFunctions) => void Object.assign(context, { getPollBudgetMs: undefined });
  await harness.beginActive({ scheduler: 'scheduler', prepare });
  harness.breakService(DOWN);
  for (let times = 0; times < 2; times++)
    expect((await harness.pollNextMinute()).error).toMatchObject({ httpCode: '503' });
});

/** n8n gives a poll of its scheduler 36 s, or more where an administrator raises its timeout for polls: 48 s of 60, and 240 s of 300. */
describe.each([36, 45.6, 48, 120, 240])('a poll to which the scheduler gives %s s is no publication:', (seconds) => {
  const prepare = (context: IPollFunctions) => {
    const isScheduled = context.getPollBudgetMs() === 36_000;
    if (isScheduled) Object.assign(context, { getPollBudgetMs: () => seconds * SECOND });
  };
  const setting: Setting = { scheduler: 'durable', prepare };

  it('it fails while the credential leads to another workspace', async () => {
    await harness.beginActive(setting);
    harness.credentials.here = harness.credentials.elsewhere;
    expect((await harness.pollNextMinute()).error?.message).toContain('another workspace');
  });

  it('its failure goes to the error output', async () => {
    await harness.beginActive({ ...setting, onError: 'continueErrorOutput' });
    harness.breakService(DOWN);
    const error = expect.stringContaining('Down for maintenance') as unknown;
    expect((await harness.pollNextMinute()).outputs).toEqual([[], [{ error }]]);
  });

  it('one form that is new and cannot be read stops no other form', async () => {
    await harness.beginActive({ ...setting, triggerOn: 'several' });
    const added = harness.addForm();
    harness.breakService(FORBIDDEN, added);
    // An expression that gives the IDs may give another one at any time.
    harness.choose([...harness.forms, added]);
    const { error, ids } = await harness.pollNextMinute(() => harness.submit({ form: 0 }));
    expect(error).toBeUndefined();
    expect(ids).toEqual(harness.submitted);
  });

  it('it leaves all to a later poll while n8n stores what the poll before it returned', async () => {
    await harness.beginActive(setting);
    harness.advance(MINUTE);
    harness.submit();
    const beforeStoring = async () => {
      expect((await harness.pollNextMinute()).outputs).toBeNull();
    };
    await harness.poll({ beforeStoring });
    await harness.expectEachOnce();
  });
});
