import { NodeApiError } from 'n8n-workflow';
import type { FaultEffect } from '../../emulator/index.ts';
import { MINUTE } from './outcome';
import { DOWN, limited, useTrigger } from './triggerHarness';

const harness = useTrigger();

/** Errors of a request are those of the last n8n whose NodeApiError has no `failure`. */
jest.mock('n8n-workflow', () => ({
  ...jest.requireActual<object>('n8n-workflow'),
  NodeApiError: jest.requireActual<{ NodeApiError: unknown }>('n8n-workflow-2.36').NodeApiError,
}));

describe('in an n8n before 2.37', () => {
  it.each<[string, FaultEffect]>([
    ['is down', DOWN],
    ['hangs', { hang: true }],
    ['resets the connection', { reset: true }],
    ['limits the rate of requests', limited(90)],
  ])('nothing is thrown when n8n starts while the service %s, and nothing is lost', async (_, effect) => {
    await harness.beginActive();
    const fix = harness.breakService(effect);
    harness.submit();
    expect((await harness.restart())?.error).toBeUndefined();
    fix();
    harness.advance(MINUTE);
    await harness.expectEachOnce();
  });

  it('a start of n8n with a refused key fails with what to do', async () => {
    await harness.beginActive();
    harness.breakService({ status: 401, body: { error: 'Invalid API key' } });
    const { error } = (await harness.restart()) ?? {};
    expect(error).toBeInstanceOf(NodeApiError);
    expect(error).not.toHaveProperty('failure');
    expect(error).toMatchObject({ httpCode: '401', description: expect.stringContaining("'API Key'") as unknown });
  });

  it('failures of two kinds without a status are two items on the error output', async () => {
    await harness.beginActive({ onError: 'continueErrorOutput' });
    const items: unknown[] = [];
    const reset: FaultEffect = { reset: true };
    for (const effect of [reset, { status: 200, body: '<h1>Welcome</h1>' }, reset]) {
      const fix = harness.breakService(effect);
      items.push(...((await harness.pollNextMinute()).outputs?.[1] ?? []));
      fix();
    }
    expect(items).toHaveLength(2);
  });
});
