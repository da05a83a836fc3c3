import { type Emulator, type FaultEffect, startEmulator } from '../../emulator/index.ts';
import { addForms, anyText, failureOf, KEY, range, useHarness, type Parameters } from '../support/harness';
import { NeetoForm } from '../../nodes/NeetoForm/NeetoForm.node';
import { runNode } from '../support/engine';

const harness = useHarness();

const listForms = { resource: 'form', operation: 'getAll' };
const slowDown = (headers: Record<string, string> = { 'Retry-After': '0' }): FaultEffect => ({
  status: 429,
  headers,
  body: { error: 'Too many requests' },
});

const adminId = () => harness.emulator.workspace.members[0]?.id;

const writes: Array<[title: string, parameters: () => Parameters]> = [
  ['form: create', () => ({ resource: 'form', operation: 'create', title: 'New' })],
  ['teamMember: add', () => ({ resource: 'teamMember', operation: 'add', emails: 'a@example.com' })],
  [
    'teamMember: update',
    () => ({
      resource: 'teamMember',
      operation: 'update',
      teamMemberId: adminId(),
      updateFields: { firstName: 'Eve' },
    }),
  ],
  [
    'teamMember: remove',
    () => ({
      resource: 'teamMember',
      operation: 'remove',
      teamMemberId: harness.emulator.workspace.addMember({ email: 'b@example.com' }).id,
    }),
  ],
  [
    'teamMember: removeByEmail',
    () => ({
      resource: 'teamMember',
      operation: 'removeByEmail',
      emails: harness.emulator.workspace.addMember({ email: 'c@example.com' }).email,
    }),
  ],
];

interface Blow {
  what: string;
  effect: FaultEffect;
}

/** Faults that pass. */
const passing: Blow[] = [
  { what: 'a 429', effect: slowDown() },
  { what: 'a 429 without Retry-After', effect: slowDown({}) },
  { what: 'a 502', effect: { status: 502, body: '<html>Bad gateway</html>', headers: { 'Retry-After': '0' } } },
  { what: 'a 503', effect: { status: 503, body: { error: 'Maintenance' }, headers: { 'Retry-After': '0' } } },
  { what: 'a 504', effect: { status: 504, headers: { 'Retry-After': '0' } } },
  { what: 'a timeout', effect: { hang: true } },
  { what: 'a reset', effect: { reset: true } },
  { what: 'a body that breaks off', effect: { truncate: true } },
];

/** Parameters for a request that will not be answered: long enough for one that will. */
const impatientFor = (effect: FaultEffect, timeout: number) =>
  'hang' in effect ? { requestOptions: { timeout } } : {};

describe('a read', () => {
  it.each(passing)('is sent again after $what, and then gives its items', async ({ effect }) => {
    addForms(harness.emulator, 2);
    harness.allowUndocumented();
    harness.emulator.fail({ with: effect });
    const items = await harness.run({ ...listForms, ...impatientFor(effect, 1_000) });
    expect(items).toHaveLength(2);
    expect(harness.requests()).toEqual(range(2).map(() => 'GET /v2/forms?order=desc&page=1&page_size=100'));
  });

  it('is sent again page by page', async () => {
    addForms(harness.emulator, 450);
    harness.emulator.fail({
      when: { every: 2 },
      with: { status: 503, headers: { 'Retry-After': '0' }, body: { error: 'Busy' } },
    });
    const items = await harness.run({ ...listForms, returnAll: true });
    expect(new Set(items.map(({ json }) => json.id)).size).toBe(450);
  });

  it.each([400, 401, 403, 404, 422])('is not sent again after a %i', async (status) => {
    harness.allowUndocumented();
    harness.emulator.fail({ when: { times: Infinity }, with: { status, body: { error: 'No' } } });
    await expect(harness.fail(listForms)).resolves.toMatchObject({ message: 'No' });
    expect(harness.requests()).toHaveLength(1);
  });

  it('is sent five times at most, and the message tells', async () => {
    harness.emulator.fail({ when: { times: Infinity }, with: slowDown() });
    await expect(harness.fail(listForms)).resolves.toMatchObject({
      message: 'Too many requests (after 5 attempts)',
      httpCode: '429',
    });
    expect(harness.requests()).toHaveLength(5);
  });

  it('tells how often it was sent, also when another fault ends it', async () => {
    harness.emulator.fail({ when: { times: 2 }, with: slowDown() });
    harness.emulator.fail({ when: { nth: 3 }, with: { status: 403, body: { error: 'Not allowed' } } });
    await expect(harness.fail(listForms)).resolves.toMatchObject({
      message: 'Not allowed (after 3 attempts)',
      httpCode: '403',
    });
  });

  it('does not speak of attempts when there was one', async () => {
    harness.emulator.fail({ with: { status: 403, body: { error: 'Not allowed' } } });
    await expect(harness.fail(listForms)).resolves.toMatchObject({ message: 'Not allowed' });
  });
});

describe('a write', () => {
  const unsafe: Blow[] = [
    { what: 'a 500', effect: { status: 500, body: { error: 'Oops' } } },
    ...passing.filter(({ what }) => !what.startsWith('a 429')),
    { what: 'an answer that is cut', effect: { malformed: true } },
  ];

  it.each(writes)('%s is sent once, whatever becomes of it', async (title, parameters) => {
    harness.allowUndocumented();
    for (const { what, effect } of unsafe) {
      // A removal has no body that could break.
      if (title === 'teamMember: remove' && ('truncate' in effect || 'malformed' in effect)) continue;
      const sent = harness.requests().length;
      const given = parameters();
      harness.emulator.fail({ with: effect });
      const { message } = await harness.fail({ ...given, ...impatientFor(effect, 200) });
      expect([what, harness.requests().length - sent, message.includes('attempts')]).toEqual([what, 1, false]);
    }
  });

  it.each(writes)('%s is sent again after a 429, which the service has not carried out', async (_title, parameters) => {
    const given = parameters();
    harness.emulator.fail({ when: { times: 2 }, with: slowDown() });
    expect(await harness.run(given)).toHaveLength(1);
    expect(harness.requests()).toHaveLength(3);
    expect(new Set(harness.emulator.requests.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  it('is sent again, and carried out once, when the service comes back after refusing the connection', async () => {
    const away = await startEmulator({ apiKey: KEY });
    const credentials = { ...harness.credentials, baseUrl: away.url };
    await away.close();
    const running = runNode(new NeetoForm(), {
      parameters: { resource: 'form', operation: 'create', title: 'New' },
      credentials,
    });
    const back: Emulator = await startEmulator({ apiKey: KEY, port: Number(new URL(away.url).port) });
    try {
      expect(await running).toHaveLength(1);
      expect(back.workspace.forms.map(({ title }) => title)).toEqual(['New']);
    } finally {
      await back.close();
    }
  });
});

describe('Retry-After', () => {
  const waited = () =>
    harness.emulator.requests.slice(1).map(({ at }, index) => at - (harness.emulator.requests[index]?.at ?? NaN));

  it('in seconds is waited for', async () => {
    harness.emulator.fail({ with: slowDown({ 'Retry-After': '1' }) });
    await harness.run(listForms);
    expect(waited()[0]).toBeGreaterThanOrEqual(990);
    expect(waited()[0]).toBeLessThan(5_000);
  });

  it.each([0, 3_600_000, -3_600_000])(
    'as an HTTP date is waited for by the clock of the service, which is %i ms off',
    async (skew) => {
      harness.emulator.quirks.dateSkewMs = skew;
      const date = new Date(Date.now() + skew + 1_500).toUTCString();
      harness.emulator.fail({ with: slowDown({ 'Retry-After': date }) });
      await harness.run(listForms);
      expect(waited()[0]).toBeLessThan(5_000);
      expect(waited()[0]).toBeGreaterThanOrEqual(400);
    },
  );

  it('beyond a minute is not waited for: the message comes at once', async () => {
    const begun = Date.now();
    harness.emulator.fail({ when: { times: Infinity }, with: slowDown({ 'Retry-After': '61' }) });
    await expect(harness.fail(listForms)).resolves.toMatchObject({
      message: 'Too many requests',
      description: anyText(/Batching/),
    });
    expect(Date.now() - begun).toBeLessThan(5_000);
    expect(harness.requests()).toHaveLength(1);
  });
});

describe('a canceled execution', () => {
  /** Cancels a moment after so many requests have come in. */
  async function canceledAt(
    count: number,
    parameters: Parameters,
    items?: Array<Record<string, unknown>>,
  ): Promise<{ message: string; took: number }> {
    const controller = new AbortController();
    let canceled = NaN;
    harness.emulator.onRequest(() => {
      if (harness.emulator.requests.length !== count) return;
      setTimeout(() => {
        canceled = Date.now();
        controller.abort();
      }, 60);
    });
    const { message } = await harness.fail(parameters, { signal: controller.signal, items });
    return { message, took: Date.now() - canceled };
  }

  it('does not wait for the next try', async () => {
    harness.emulator.fail({ when: { times: Infinity }, with: slowDown({ 'Retry-After': '30' }) });
    const { message, took } = await canceledAt(1, listForms);
    expect(message).toMatch(/^The execution was canceled/);
    expect(took).toBeLessThan(5_000);
    expect(harness.requests()).toHaveLength(1);
  });

  it('does not wait for the answer, and asks no more', async () => {
    harness.allowUndocumented();
    harness.emulator.fail({ when: { times: Infinity }, with: { hang: true } });
    const { message, took } = await canceledAt(1, listForms);
    expect(message).toMatch(/^The execution was canceled/);
    expect(took).toBeLessThan(5_000);
    expect(harness.requests()).toHaveLength(1);
  });

  it('sends none of the requests that were waiting for their turn', async () => {
    harness.allowUndocumented();
    harness.emulator.fail({ when: { times: Infinity }, with: { hang: true } });
    const { took } = await canceledAt(
      6,
      { resource: 'form', operation: 'create', title: 'New' },
      range(50).map(() => ({})),
    );
    expect(took).toBeLessThan(5_000);
    expect(harness.requests()).toHaveLength(6);
  });

  it('reads no further page', async () => {
    harness.emulator.quirks.latencyMs = 50;
    addForms(harness.emulator, 3000);
    harness.allowUndocumented();
    const { message } = await canceledAt(10, { ...listForms, returnAll: true });
    expect(message).toMatch(/^The execution was canceled/);
    expect(harness.requests().length).toBeLessThan(25);
  });
});

describe('Options > Timeout', () => {
  const timed = async (effect: FaultEffect) => {
    harness.allowUndocumented();
    harness.emulator.fail({ when: { times: Infinity }, with: effect });
    const begun = Date.now();
    const { message } = await harness.fail({ ...listForms, requestOptions: { timeout: 400 } });
    return { message, took: Date.now() - begun };
  };

  it.each<[string, FaultEffect]>([
    ['a service that never answers', { hang: true }],
    ['a body that arrives byte by byte', { drip: 1, everyMs: 100 }],
    ['a body that never ends', { drip: 10 }],
  ])('ends a request to %s, which is sent twice at most', async (_what, effect) => {
    const { message, took } = await timed(effect);
    expect(message).toBe('The service did not answer in time (after 2 attempts)');
    expect(took).toBeLessThan(3_000);
    expect(harness.requests()).toHaveLength(2);
  });
});

describe('a fault that stays', () => {
  interface Case {
    what: string;
    effect: FaultEffect | 'offline';
    message: string;
    /** How many requests arrive. On a busy computer, one that is given up early may not. */
    arrive?: number;
  }

  const cases: Case[] = [
    {
      what: 'no server',
      effect: 'offline',
      message: 'The service refused the connection (after 5 attempts)',
      arrive: 0,
    },

    {
      what: 'a reset',
      effect: { reset: true },
      message: 'The connection to the service was lost (after 5 attempts)',
      arrive: 5,
    },
    {
      what: 'a body that breaks off',
      effect: { truncate: true },
      message: 'The connection to the service was lost (after 5 attempts)',
      arrive: 5,
    },
    {
      what: 'broken JSON',
      effect: { malformed: true },
      message: 'The service sent broken JSON (after 5 attempts)',
      arrive: 5,
    },
    {
      what: 'a gateway without words',
      effect: { status: 502, body: '<html>Bad gateway</html>' },
      message: 'The service answered with status 502 (after 5 attempts)',
      arrive: 5,
    },
    {
      what: 'a service in maintenance',
      effect: { status: 503, body: { error: 'Back at ten' } },
      message: 'Back at ten (after 5 attempts)',
      arrive: 5,
    },
  ];

  // Backing off takes seconds: all of them do it at the same time.
  let outcomes: Map<string, { message: string; description: string; asked: number; took: number }>;

  beforeAll(async () => {
    outcomes = new Map(
      await Promise.all(
        cases.map(async ({ what, effect }) => {
          const service = await startEmulator({ apiKey: KEY });
          if (effect === 'offline') await service.close();
          else service.fail({ when: { times: Infinity }, with: effect });
          const begun = Date.now();
          const { message, description } = await failureOf(
            runNode(new NeetoForm(), {
              parameters: { ...listForms, ...(effect === 'offline' ? {} : impatientFor(effect, 100)) },
              credentials: { subdomain: 'acme', apiKey: KEY, baseUrl: service.url },
            }),
          );
          const outcome = {
            message,
            description: description ?? '',
            asked: service.requests.length,
            took: Date.now() - begun,
          };
          if (effect !== 'offline') await service.close();
          return [what, outcome] as const;
        }),
      ),
    );
  }, 60_000);

  it.each(cases)('is told as what it is, after five attempts: $what', ({ what, message, arrive }) => {
    expect(outcomes.get(what)).toMatchObject(arrive === undefined ? { message } : { message, asked: arrive });
    expect(outcomes.get(what)?.description).not.toBe('');
  });

  it.each(cases)('is given time, each wait longer than the one before: $what', ({ what }) => {
    expect(outcomes.get(what)?.took).toBeGreaterThanOrEqual(3_750);
    expect(outcomes.get(what)?.took).toBeLessThan(25_000);
  });
});
