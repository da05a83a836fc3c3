import type { IPollFunctions } from 'n8n-workflow';
import { MINUTE, SECOND } from './outcome';
import { DOWN, FORBIDDEN, type Setting, useTrigger } from './triggerHarness';

const harness = useTrigger();

it('a failing poll of the scheduler fails although n8n tells no budget', async () => {
  const prepare = (context: IPollFunctions) => void Object.assign(context, { getPollBudgetMs: undefined });
  await harness.beginActive({ scheduler: 'scheduler', prepare });
  harness.breakService(DOWN);
  for (let times = 0; times < 2; times++)
    expect((await harness.pollNextMinute()).error).toMatchObject({ httpCode: '503' });
});

it('publishing again with a form that cannot be read fails although n8n tells no budget', async () => {
  const prepare = (context: IPollFunctions) => void Object.assign(context, { getPollBudgetMs: undefined });
  await harness.beginActive({ triggerOn: 'several', prepare });
  const added = harness.addForm();
  harness.breakService(FORBIDDEN, added);
  await expect(harness.republish([...harness.forms, added])).rejects.toMatchObject({ httpCode: '403' });
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
