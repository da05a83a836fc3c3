import type { FaultEffect } from '../../emulator/index.ts';
import { codedError } from './inProcess';
import { causeOf, DAY, expectFailure, MINUTE, SECOND, START } from './outcome';
import { DOWN, type Setting, useTrigger } from './triggerHarness';

const harness = useTrigger();

const GONE: FaultEffect = { status: 404, body: { error: 'Form does not exist.' } };
const BAD_GATEWAY: FaultEffect = { status: 502, body: '<html>Bad gateway</html>' };

it('a service that fails for a while is reported by every poll, and everything is delivered after it', async () => {
  await harness.beginActive();
  const stop = harness.breakService(BAD_GATEWAY);
  for (let minute = 0; minute < 3; minute++) {
    const outcome = await harness.pollNextMinute(() => harness.submit());
    expectFailure(outcome, 'status 502');
    expect(outcome.requests).toHaveLength(5);
    expect(outcome.elapsedMs).toBeLessThan(36 * SECOND);
  }
  stop();
  await harness.expectEachOnce();
});

it.each([
  ['a form', 'submissions$'],
  ['the list of forms', 'forms$'],
])('a poll fails when the key is refused for %s alone', async (_, path) => {
  await harness.beginActive({ triggerOn: 'several' });
  harness.emulator.fail({ when: { path: new RegExp(path) }, with: { status: 401, body: { error: 'Revoked' } } });
  expectFailure(await harness.pollNextMinute(harness.submitToAll), 'Revoked');
  await harness.expectEachOnce();
});

describe('an activation', () => {
  const options = { startFrom: new Date(START - DAY).toISOString() };
  const down = 'temporarily-unavailable';
  const wrong = 'configuration-invalid';

  it.each<[what: string, setting: Setting, effect: FaultEffect, httpCode: string | null, cause: string]>([
    ['for a wrong key', { triggerOn: 'allActive' }, { status: 401 }, '401', 'credential-invalid'],
    ['when the form is gone', {}, GONE, '404', wrong],
    ['when one of several forms is gone', { triggerOn: 'several' }, GONE, '404', wrong],
    ['when one of several forms is down', { triggerOn: 'several' }, BAD_GATEWAY, '502', down],
    ['when one of several forms does not answer', { triggerOn: 'several' }, { hang: true }, null, down],
    ['when the service is down, with Start From', { options }, BAD_GATEWAY, '502', down],
  ])('fails with the reason %s, and stores nothing', async (_, setting, effect, httpCode, cause) => {
    await harness.begin(setting);
    const fix = harness.breakService(effect, harness.forms.at(-1));
    const { error } = await harness.activate();
    expect(error).toMatchObject({ httpCode });
    expect(causeOf(error)).toBe(cause);
    expect(harness.workflow.staticDataOf()).toEqual({ global: {}, 'node:NeetoForm Trigger': {} });
    fix();
    await harness.activate();
    await harness.expectEachOnce(harness.submitToAll());
  });

  it('of a form that was chosen while n8n did not run, and is down, stops no other at the start of n8n', async () => {
    await harness.beginActive({ triggerOn: 'several', count: 2 });
    const added = harness.addForm();
    harness.choose([...harness.forms, added]);
    const fix = harness.breakService(DOWN, added);
    expect((await harness.activate('init')).error).toBeUndefined();
    harness.advance(SECOND);
    await harness.pollFor(2 * MINUTE, harness.submitToAll);
    fix();
    await harness.expectEachOnce();
  });

  it('does not say that a title was given when By ID holds the ID of a form that is gone', async () => {
    await harness.begin();
    harness.emulator.workspace.deleteForm(harness.formId);
    expect((await harness.activate()).error).toMatchObject({
      httpCode: '404',
      description: expect.not.stringContaining('not by its title') as unknown,
    });
  });

  it('says how to choose a form when By ID holds a title', async () => {
    await harness.begin({ parameters: { formId: { __rl: true, mode: 'id', value: 'Contact us' } } });
    const { error } = await harness.activate();
    const description =
      / the form with the ID 'Contact us'.* Here, a form is given by its ID, not by its title: choose it from the list\.$/;
    expect(error).toMatchObject({ description: expect.stringMatching(description) as unknown });
  });

  it('fails when the key was withdrawn, even with a known cursor', async () => {
    await harness.beginActive();
    harness.breakService({ status: 401, body: { error: 'Invalid API key' } });
    expect((await harness.activate('init')).error?.message).toContain('Invalid API key');
  });

  it.each([
    ['ECONNRESET', async () => await harness.restart()],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', async () => await harness.activate('leadershipChange')],
  ])('with a known cursor does not keep n8n from starting, or from leading, on %s', async (code, start) => {
    await harness.beginActive();
    const { transport } = harness.inProcess;
    harness.submit();
    harness.inProcess.transport = async () => {
      throw codedError(`connect ${code} 203.0.113.1:443`, code);
    };
    expect(await start()).toMatchObject({ ids: null, error: undefined });
    const { error } = await harness.pollNextMinute();
    expect(causeOf(error)).toBe('temporarily-unavailable');
    expect(error?.message).not.toContain('invalid');
    harness.inProcess.transport = transport;
    await harness.expectEachOnce();
  });
});
