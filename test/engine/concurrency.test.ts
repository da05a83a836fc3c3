import { addForms, addSubmissions, jsons, range, useHarness } from '../support/harness';

const harness = useHarness();

const getForm = { resource: 'form', operation: 'get', formId: '={{ $json.id }}' };

/** For each request, how many were being answered when it came in, itself included. */
function crowd(): number[] {
  const counts: number[] = [];
  harness.emulator.onRequest(() => {
    counts.push(harness.emulator.inFlight.now);
  });
  return counts;
}

describe('requests under way at once', () => {
  it('are six at most, for a thousand input items', async () => {
    harness.emulator.quirks.latencyMs = 1;
    const [form] = addForms(harness.emulator, 1);
    const items = await harness.run(getForm, { items: range(1000).map(() => ({ id: form?.id })) });
    expect(items).toHaveLength(1000);
    expect(harness.emulator.requests).toHaveLength(1000);
    expect(harness.emulator.inFlight.max).toBe(6);
  });

  it('are six at most, for the pages of one list', async () => {
    harness.emulator.quirks.latencyMs = 5;
    const [form] = addForms(harness.emulator, 1);
    if (form) addSubmissions(harness.emulator, form, 1200);
    const items = await harness.run({
      resource: 'submission',
      operation: 'getAll',
      output: 'raw',
      formId: form?.id,
      returnAll: true,
    });
    expect(items).toHaveLength(1200);
    expect(harness.emulator.inFlight.max).toBe(6);
  });

  it('are six at most, for the pages of many lists together', async () => {
    harness.emulator.quirks.latencyMs = 10;
    const forms = addForms(harness.emulator, 10);
    for (const form of forms) addSubmissions(harness.emulator, form, 450);
    const items = await harness.run(
      { resource: 'submission', operation: 'getAll', output: 'raw', formId: '={{ $json.id }}', returnAll: true },
      { items: forms.map(({ id }) => ({ id })) },
    );
    expect(items).toHaveLength(4500);
    expect(harness.emulator.requests).toHaveLength(50);
    expect(harness.emulator.inFlight.max).toBe(6);
  });

  it('are six at most, for writes', async () => {
    harness.emulator.quirks.latencyMs = 10;
    const items = await harness.run(
      { resource: 'form', operation: 'create', title: '={{ $json.title }}' },
      { items: range(40).map((index) => ({ title: `Form ${index}` })) },
    );
    expect(jsons(items).map(({ title }) => title)).toEqual(range(40).map((index) => `Form ${index}`));
    expect(harness.emulator.inFlight.max).toBe(6);
  });

  it('are as many again for another run of the node: the first run leaves nothing behind', async () => {
    const [form] = addForms(harness.emulator, 1);
    harness.emulator.fail({ with: { status: 429, headers: { 'Retry-After': '0' }, body: { error: 'Slow down' } } });
    await harness.run(getForm, { items: range(8).map(() => ({ id: form?.id })) });
    harness.emulator.inFlight.max = 0;
    harness.emulator.quirks.latencyMs = 10;
    await harness.run(getForm, { items: range(40).map(() => ({ id: form?.id })) });
    expect(harness.emulator.inFlight.max).toBe(6);
  });
});

describe('after the first "too many requests"', () => {
  it.each([
    ['that is tried again', '0', false],
    ['that is given up', '3600', true],
  ])('%s, the rest goes one at a time', async (_what, retryAfter, isGivenUp) => {
    const [form] = addForms(harness.emulator, 1);
    harness.emulator.quirks.latencyMs = 2;
    const counts = crowd();
    harness.emulator.fail({
      with: { status: 429, headers: { 'Retry-After': retryAfter }, body: { error: 'Slow down' } },
    });
    const items = await harness.run(getForm, { items: range(40).map(() => ({ id: form?.id })), continueOnFail: true });
    expect(items.filter(({ error }) => error !== undefined)).toHaveLength(isGivenUp ? 1 : 0);
    // The six that were under way with it, and what came in while they were answered, do not count.
    expect(counts.slice(12).filter((count) => count > 1)).toEqual([]);
    expect(counts).toHaveLength(isGivenUp ? 40 : 41);
  });

  it('the pages of a list go one at a time, and all come', async () => {
    harness.emulator.quirks.latencyMs = 2;
    const [form] = addForms(harness.emulator, 1);
    if (form) addSubmissions(harness.emulator, form, 1500);
    const counts = crowd();
    harness.emulator.fail({
      when: { nth: 3 },
      with: { status: 429, headers: { 'Retry-After': '0' }, body: { error: 'Slow down' } },
    });
    const items = await harness.run({
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
    const [form] = addForms(harness.emulator, 1);
    await harness.run(batched(2, 600), { items: range(6).map(() => ({ id: form?.id })) });
    const times = harness.emulator.requests.map(({ at }) => at);
    const since = (index: number) => (times[index] ?? NaN) - (times[0] ?? NaN);
    expect(times).toHaveLength(6);
    // On a busy machine the first request may arrive late.
    expect(since(2)).toBeGreaterThanOrEqual(400);
    expect(since(4)).toBeGreaterThanOrEqual(1_000);
    expect(since(1)).toBeLessThan(since(2));
    expect(since(3)).toBeLessThan(since(4));
  });
});
