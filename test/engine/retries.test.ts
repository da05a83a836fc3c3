import { type Emulator, type FaultEffect, startEmulator } from '../../emulator/index.ts';
import { addForms, anyText, failureOf, KEY, range, useBench, type Parameters } from '../support/bench';
import { NeetoForm } from '../../nodes/NeetoForm/NeetoForm.node';
import { runNode } from '../support/engine';

const bench = useBench();

const listForms = { resource: 'form', operation: 'getAll' };
const slowDown = (headers: Record<string, string> = { 'Retry-After': '0' }): FaultEffect => ({
  status: 429,
  headers,
  body: { error: 'Too many requests' },
});

const adminId = () => bench.emulator.workspace.members[0]?.id;

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
      teamMemberId: bench.emulator.workspace.addMember({ email: 'b@example.com' }).id,
    }),
  ],
  [
    'teamMember: removeByEmail',
    () => ({
      resource: 'teamMember',
      operation: 'removeByEmail',
      emails: bench.emulator.workspace.addMember({ email: 'c@example.com' }).email,
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
    addForms(bench.emulator, 2);
    bench.offTheBook();
    bench.emulator.fail({ with: effect });
    const items = await bench.run({ ...listForms, ...impatientFor(effect, 1_000) });
    expect(items).toHaveLength(2);
    expect(bench.asked()).toEqual(range(2).map(() => 'GET /v2/forms?order=desc&page=1&page_size=100'));
  });

  it('is sent again page by page', async () => {
    addForms(bench.emulator, 450);
    bench.emulator.fail({
      when: { every: 2 },
      with: { status: 503, headers: { 'Retry-After': '0' }, body: { error: 'Busy' } },
    });
    const items = await bench.run({ ...listForms, returnAll: true });
    expect(new Set(items.map(({ json }) => json.id)).size).toBe(450);
  });

  it.each([400, 401, 403, 404, 422])('is not sent again after a %i', async (status) => {
    bench.offTheBook();
    bench.emulator.fail({ when: { times: Infinity }, with: { status, body: { error: 'No' } } });
    await expect(bench.fail(listForms)).resolves.toMatchObject({ message: 'No' });
    expect(bench.asked()).toHaveLength(1);
  });

  it('is sent five times at most, and the message tells', async () => {
    bench.emulator.fail({ when: { times: Infinity }, with: slowDown() });
    await expect(bench.fail(listForms)).resolves.toMatchObject({
      message: 'Too many requests (after 5 attempts)',
      httpCode: '429',
    });
    expect(bench.asked()).toHaveLength(5);
  });

  it('tells how often it was sent, also when another fault ends it', async () => {
    bench.emulator.fail({ when: { times: 2 }, with: slowDown() });
    bench.emulator.fail({ when: { nth: 3 }, with: { status: 403, body: { error: 'Not allowed' } } });
    await expect(bench.fail(listForms)).resolves.toMatchObject({
      message: 'Not allowed (after 3 attempts)',
      httpCode: '403',
    });
  });

  it('does not speak of attempts when there was one', async () => {
    bench.emulator.fail({ with: { status: 403, body: { error: 'Not allowed' } } });
    await expect(bench.fail(listForms)).resolves.toMatchObject({ message: 'Not allowed' });
  });
});

describe('a write', () => {
  const unsafe: Blow[] = [
    { what: 'a 500', effect: { status: 500, body: { error: 'Oops' } } },
    ...passing.filter(({ what }) => !what.startsWith('a 429')),
    { what: 'an answer that is cut', effect: { malformed: true } },
  ];

  it.each(writes)('%s is sent once, whatever becomes of it', async (title, parameters) => {
    bench.offTheBook();
    for (const { what, effect } of unsafe) {
      // A removal has no body that could break.
      if (title === 'teamMember: remove' && ('truncate' in effect || 'malformed' in effect)) continue;
      const sent = bench.asked().length;
      const given = parameters();
      bench.emulator.fail({ with: effect });
      const { message } = await bench.fail({ ...given, ...impatientFor(effect, 200) });
      expect([what, bench.asked().length - sent, message.includes('attempts')]).toEqual([what, 1, false]);
    }
  });

  it.each(writes)('%s is sent again after a 429, which the service has not carried out', async (_title, parameters) => {
    const given = parameters();
    bench.emulator.fail({ when: { times: 2 }, with: slowDown() });
    expect(await bench.run(given)).toHaveLength(1);
    expect(bench.asked()).toHaveLength(3);
    expect(new Set(bench.emulator.requests.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  it('is sent again, and carried out once, when the service comes back after refusing the connection', async () => {
    const away = await startEmulator({ apiKey: KEY });
    const credentials = { ...bench.credentials, baseUrl: away.url };
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
    bench.emulator.requests.slice(1).map(({ at }, index) => at - (bench.emulator.requests[index]?.at ?? NaN));

  it('in seconds is waited for', async () => {
    bench.emulator.fail({ with: slowDown({ 'Retry-After': '1' }) });
    await bench.run(listForms);
    expect(waited()[0]).toBeGreaterThanOrEqual(990);
    expect(waited()[0]).toBeLessThan(5_000);
  });

  it.each([0, 3_600_000, -3_600_000])(
    'as an HTTP date is waited for by the clock of the service, which is %i ms off',
    async (skew) => {
      bench.emulator.quirks.dateSkewMs = skew;
      const date = new Date(Date.now() + skew + 1_500).toUTCString();
      bench.emulator.fail({ with: slowDown({ 'Retry-After': date }) });
      await bench.run(listForms);
      expect(waited()[0]).toBeLessThan(5_000);
      expect(waited()[0]).toBeGreaterThanOrEqual(400);
    },
  );

  it('beyond a minute is not waited for: the message comes at once', async () => {
    const begun = Date.now();
    bench.emulator.fail({ when: { times: Infinity }, with: slowDown({ 'Retry-After': '61' }) });
    await expect(bench.fail(listForms)).resolves.toMatchObject({
      message: 'Too many requests',
      description: anyText(/Batching/),
    });
    expect(Date.now() - begun).toBeLessThan(5_000);
    expect(bench.asked()).toHaveLength(1);
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
    bench.emulator.onRequest(() => {
      if (bench.emulator.requests.length !== count) return;
      setTimeout(() => {
        canceled = Date.now();
        controller.abort();
      }, 60);
    });
    const { message } = await bench.fail(parameters, { signal: controller.signal, items });
    return { message, took: Date.now() - canceled };
  }

  it('does not wait for the next try', async () => {
    bench.emulator.fail({ when: { times: Infinity }, with: slowDown({ 'Retry-After': '30' }) });
    const { message, took } = await canceledAt(1, listForms);
    expect(message).toMatch(/^The execution was canceled/);
    expect(took).toBeLessThan(5_000);
    expect(bench.asked()).toHaveLength(1);
  });

  it('does not wait for the answer, and asks no more', async () => {
    bench.offTheBook();
    bench.emulator.fail({ when: { times: Infinity }, with: { hang: true } });
    const { message, took } = await canceledAt(1, listForms);
    expect(message).toMatch(/^The execution was canceled/);
    expect(took).toBeLessThan(5_000);
    expect(bench.asked()).toHaveLength(1);
  });

  it('sends none of the requests that were waiting for their turn', async () => {
    bench.offTheBook();
    bench.emulator.fail({ when: { times: Infinity }, with: { hang: true } });
    const { took } = await canceledAt(
      6,
      { resource: 'form', operation: 'create', title: 'New' },
      range(50).map(() => ({})),
    );
    expect(took).toBeLessThan(5_000);
    expect(bench.asked()).toHaveLength(6);
  });

  it('reads no further page', async () => {
    bench.emulator.quirks.latencyMs = 50;
    addForms(bench.emulator, 3000);
    bench.offTheBook();
    const { message } = await canceledAt(10, { ...listForms, returnAll: true });
    expect(message).toMatch(/^The execution was canceled/);
    expect(bench.asked().length).toBeLessThan(25);
  });
});

describe('Options > Timeout', () => {
  const timed = async (effect: FaultEffect) => {
    bench.offTheBook();
    bench.emulator.fail({ when: { times: Infinity }, with: effect });
    const begun = Date.now();
    const { message } = await bench.fail({ ...listForms, requestOptions: { timeout: 400 } });
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
    expect(bench.asked()).toHaveLength(2);
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
