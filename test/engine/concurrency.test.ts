import { addForms, addSubmissions, jsons, range, useBench } from '../support/bench';

const bench = useBench();

const getForm = { resource: 'form', operation: 'get', formId: '={{ $json.id }}' };

/** For each request, how many were being answered when it came in, itself included. */
function crowd(): number[] {
  const counts: number[] = [];
  bench.emulator.onRequest(() => {
    counts.push(bench.emulator.inFlight.now);
  });
  return counts;
}

describe('requests under way at once', () => {
  it('are six at most, for a thousand input items', async () => {
    bench.emulator.quirks.latencyMs = 1;
    const [form] = addForms(bench.emulator, 1);
    const items = await bench.run(getForm, { items: range(1000).map(() => ({ id: form?.id })) });
    expect(items).toHaveLength(1000);
    expect(bench.emulator.requests).toHaveLength(1000);
    expect(bench.emulator.inFlight.max).toBe(6);
  });

  it('are six at most, for the pages of one list', async () => {
    bench.emulator.quirks.latencyMs = 5;
    const [form] = addForms(bench.emulator, 1);
    if (form) addSubmissions(bench.emulator, form, 1200);
    const items = await bench.run({
      resource: 'submission',
      operation: 'getAll',
      output: 'raw',
      formId: form?.id,
      returnAll: true,
    });
    expect(items).toHaveLength(1200);
    expect(bench.emulator.inFlight.max).toBe(6);
  });

  it('are six at most, for the pages of many lists together', async () => {
    bench.emulator.quirks.latencyMs = 10;
    const forms = addForms(bench.emulator, 10);
    for (const form of forms) addSubmissions(bench.emulator, form, 450);
    const items = await bench.run(
      { resource: 'submission', operation: 'getAll', output: 'raw', formId: '={{ $json.id }}', returnAll: true },
      { items: forms.map(({ id }) => ({ id })) },
    );
    expect(items).toHaveLength(4500);
    expect(bench.emulator.requests).toHaveLength(50);
    expect(bench.emulator.inFlight.max).toBe(6);
  });

  it('are six at most, for writes', async () => {
    bench.emulator.quirks.latencyMs = 10;
    const items = await bench.run(
      { resource: 'form', operation: 'create', title: '={{ $json.title }}' },
      { items: range(40).map((index) => ({ title: `Form ${index}` })) },
    );
    expect(jsons(items).map(({ title }) => title)).toEqual(range(40).map((index) => `Form ${index}`));
    expect(bench.emulator.inFlight.max).toBe(6);
  });

  it('are as many again for another run of the node: the first run leaves nothing behind', async () => {
    const [form] = addForms(bench.emulator, 1);
    bench.emulator.fail({ with: { status: 429, headers: { 'Retry-After': '0' }, body: { error: 'Slow down' } } });
    await bench.run(getForm, { items: range(8).map(() => ({ id: form?.id })) });
    bench.emulator.inFlight.max = 0;
    bench.emulator.quirks.latencyMs = 10;
    await bench.run(getForm, { items: range(40).map(() => ({ id: form?.id })) });
    expect(bench.emulator.inFlight.max).toBe(6);
  });
});

describe('after the first "too many requests"', () => {
  it.each([
    ['that is tried again', '0', false],
    ['that is given up', '3600', true],
  ])('%s, the rest goes one at a time', async (_what, retryAfter, isGivenUp) => {
    const [form] = addForms(bench.emulator, 1);
    bench.emulator.quirks.latencyMs = 2;
    const counts = crowd();
    bench.emulator.fail({
      with: { status: 429, headers: { 'Retry-After': retryAfter }, body: { error: 'Slow down' } },
    });
    const items = await bench.run(getForm, { items: range(40).map(() => ({ id: form?.id })), continueOnFail: true });
    expect(items.filter(({ error }) => error !== undefined)).toHaveLength(isGivenUp ? 1 : 0);
    // The six that were under way with it, and what came in while they were answered, do not count.
    expect(counts.slice(12).filter((count) => count > 1)).toEqual([]);
    expect(counts).toHaveLength(isGivenUp ? 40 : 41);
  });

  it('the pages of a list go one at a time, and all come', async () => {
    bench.emulator.quirks.latencyMs = 2;
    const [form] = addForms(bench.emulator, 1);
    if (form) addSubmissions(bench.emulator, form, 1500);
    const counts = crowd();
    bench.emulator.fail({
      when: { nth: 3 },
      with: { status: 429, headers: { 'Retry-After': '0' }, body: { error: 'Slow down' } },
    });
    const items = await bench.run({
      resource: 'submission',
      operation: 'getAll',
      output: 'raw',
      formId: form?.id,
      returnAll: true,
    });
    expect(items).toHaveLength(1500);
    expect(counts.slice(12).filter((count) => count > 1)).toEqual([]);
    expect(counts).toHaveLength(16);
  });
});

describe("n8n's batching", () => {
  const batched = (batchSize: number, batchInterval: number) => ({
    ...getForm,
    requestOptions: { batching: { batch: { batchSize, batchInterval } } },
  });

  it('spaces the items out', async () => {
    const [form] = addForms(bench.emulator, 1);
    await bench.run(batched(2, 600), { items: range(6).map(() => ({ id: form?.id })) });
    const times = bench.emulator.requests.map(({ at }) => at);
    const since = (index: number) => (times[index] ?? NaN) - (times[0] ?? NaN);
    expect(times).toHaveLength(6);
    // On a busy machine the first request may arrive late.
    expect(since(2)).toBeGreaterThanOrEqual(400);
    expect(since(4)).toBeGreaterThanOrEqual(1_000);
    expect(since(1)).toBeLessThan(since(2));
    expect(since(3)).toBeLessThan(since(4));
  });
});
