import { NodeApiError } from 'n8n-workflow';

import type { FaultEffect } from '../../emulator/index.ts';
import { anyText, useForbiddenHost, useHarness } from '../support/harness';
import { OPERATIONS } from '../support/operations';

const harness = useHarness();
const forbiddenHost = useForbiddenHost();

const WRONG_ADDRESS = anyText(/'Subdomain'.*'Base URL'/);
const page = '<!DOCTYPE html><title>Welcome</title>';

it.each<[what: string, effect: FaultEffect, error: Record<string, unknown>, requests: number]>([
  [
    'a 403 as a matter of the role, not of the key',
    { status: 403, body: { error: 'You are not authorized' } },
    { message: 'You are not authorized', httpCode: '403', description: anyText(/key is valid.*role/) },
    1,
  ],
  [
    'a missing page as a wrong subdomain',
    { status: 404, body: page },
    { message: 'The service does not know this address', httpCode: '404', description: WRONG_ADDRESS },
    1,
  ],
  [
    'a redirect as a wrong subdomain, and does not follow it',
    { redirect: 'https://elsewhere.example.com/login?next=1' },
    {
      message: anyText(/elsewhere\.example\.com, which was not followed$/),
      httpCode: '302',
      description: WRONG_ADDRESS,
    },
    1,
  ],
  [
    'a web page with status 200 as a wrong subdomain',
    { status: 200, body: page },
    { message: anyText(/web page instead of data/), description: WRONG_ADDRESS },
    1,
  ],
  [
    'too many requests, and suggests batching',
    { status: 429, headers: { 'Retry-After': '0' }, body: { error: 'Rate limit exceeded' } },
    {
      message: 'Rate limit exceeded (after 5 attempts)',
      httpCode: '429',
      description: anyText(/Batching/),
      failure: { cause: 'rate-limited' },
    },
    5,
  ],
])('an operation reports %s', async (_what, effect, expected, requests) => {
  harness.allowUndocumented();
  harness.emulator.fail({ when: { times: Infinity }, with: effect });
  const error = await harness.fail({ resource: 'form', operation: 'create', title: 'New' });
  expect(error).toBeInstanceOf(NodeApiError);
  expect(error).toMatchObject(expected);
  expect(harness.requests()).toHaveLength(requests);
});

describe.each(OPERATIONS)('$title', ({ method, parameters }) => {
  it('sends one request with the key and the Accept header, and reports a wrong key', async () => {
    await expect(
      harness.fail(parameters, { credentials: { ...harness.credentials, apiKey: 'a wrong key' } }),
    ).resolves.toMatchObject({
      message: 'Could not authenticate, invalid API Key',
      httpCode: '401',
      description: anyText(/'API Key'.*another workspace/),
      failure: { cause: 'credential-invalid' },
    });
    const headers = { 'x-api-key': 'a wrong key', accept: 'application/json' };
    expect(harness.emulator.requests).toMatchObject([{ method, headers }]);
  });

  it('returns one linked error item for each input item with Continue On Fail, in their order', async () => {
    harness.emulator.fail({ when: { times: Infinity }, with: { status: 403, body: { error: 'Not allowed' } } });
    const items = await harness.run(parameters, { items: [{}, {}, {}], continueOnFail: true });
    expect(items).toMatchObject(
      [0, 1, 2].map((item) => ({
        json: { error: 'Not allowed' },
        error: { message: 'Not allowed' },
        pairedItem: { item },
      })),
    );
    expect(harness.requests()).toHaveLength(3);
  });

  it('follows no redirect to another host', async () => {
    harness.allowUndocumented();
    for (const status of [301, 307]) {
      harness.emulator.fail({ with: { status, headers: { location: `${forbiddenHost()}/api/external/v2/forms` } } });
      await harness.fail(parameters);
    }
    expect(harness.emulator.requests).toHaveLength(2);
  });

  // The harness finds a key in an item, in an error and in n8n's log.
  it('leaves the key in no error and no log, whatever goes wrong', async () => {
    harness.allowUndocumented();
    const effects: FaultEffect[] = [
      { status: 422, body: { errors: ['No'] } },
      { status: 500, headers: { 'Retry-After': '3600' } },
      { status: 404, body: page },
    ];
    for (const effect of effects) {
      const stop = harness.emulator.fail({ with: effect });
      await harness.fail(parameters);
      stop();
    }
    expect(harness.requests()).toHaveLength(effects.length);
  });
});
