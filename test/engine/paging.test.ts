import type { Form, Json } from '../../emulator/index.ts';
import { addForms, addMembers, addSubmissions, anyText, idsOf, LONG_AGO, range, useHarness } from '../support/harness';

const harness = useHarness();

const LISTS = ['forms', 'submissions', 'team members', 'team members of version 1'] as const;
type List = (typeof LISTS)[number];

let form: Form;

/** Makes a list of so many rows; gives the ids in the list's order. */
function fill(list: List, count: number): string[] {
  if (list === 'forms') return addForms(harness.emulator, count).map(({ id }) => id);
  if (list === 'submissions') {
    form = harness.emulator.workspace.addForm({ title: 'Form', questions: [{ label: 'Name' }] });
    return addSubmissions(harness.emulator, form, count).map(({ id }) => id);
  }
  // The workspace has an admin already.
  addMembers(harness.emulator, Math.max(0, count - 1));
  return harness.emulator.workspace.members.slice(0, count).map(({ id }) => id);
}

function parametersFor(list: List, more = {}) {
  if (list === 'forms') return { resource: 'form', operation: 'getAll', sort: { order: 'asc' }, ...more };
  // Raw items need no details of the form: the requests are those for the list alone.
  const submissions = { resource: 'submission', operation: 'getAll', output: 'raw', sort: { order: 'asc' } };
  if (list === 'submissions') return { ...submissions, formId: form.id, ...more };
  return {
    resource: 'teamMember',
    operation: 'getAll',
    ...(list === 'team members' ? {} : { options: { apiVersion: 'v1' } }),
    ...more,
  };
}

const read = async (list: List, more = {}) => idsOf(await harness.run(parametersFor(list, more)));
const pages = () => harness.emulator.requests.map(({ query }) => Number(query['page'] ?? query['page_number']));
/** Version 1 gives no number of pages: after a full page there may be another, whatever the total says. */
const isFullWithoutPageCount = (list: List, count: number) => list.endsWith('version 1') && count % 100 === 0;
const inOrder = (numbers: number[]) => [...numbers].sort((a, b) => a - b);

describe.each(LISTS)('Return All of %s', (list) => {
  it.each([
    [1, [1]],
    [99, [1]],
    [100, [1]],
    [101, [1, 2]],
    [250, [1, 2, 3]],
  ])('gives all %i rows in order, each page asked for once', async (count, asked) => {
    const ids = fill(list, count);
    expect(await read(list, { returnAll: true })).toEqual(ids);
    expect(inOrder(pages())).toEqual(isFullWithoutPageCount(list, count) ? [...asked, asked.length + 1] : asked);
  });

  it('is on or off whatever an expression gives for true or false, and forgets the limit that the editor left', async () => {
    const ids = fill(list, 60);
    for (const returnAll of [1, '={{ "true" }}', '={{ "TRUE" }}', '={{ 1 }}'])
      expect(await read(list, { returnAll, limit: 5 })).toEqual(ids);
    for (const returnAll of [0, '={{ "false" }}', '={{ "No" }}'])
      expect(await read(list, { returnAll })).toEqual(ids.slice(0, 50));
  });

  it.each([
    ['={{ "all" }}', 'all'],
    ['={{ 2 }}', '2'],
    ['={{ [true] }}', '[true]'],
    ['={{ null }}', 'null'],
    ['={{ undefined }}', 'undefined'],
  ])('is refused by name when it is %p, without a request', async (returnAll, shown) => {
    fill(list, 1);
    const { message } = await harness.refused(parametersFor(list, { returnAll }));
    expect(message).toBe(`'Return All' is neither true nor false: ${shown}`);
  });
});

describe.each(['forms', 'submissions'] as const)('Return All of no %s', (list) => {
  it('gives nothing, for one request', async () => {
    fill(list, 0);
    expect(await read(list, { returnAll: true })).toEqual([]);
    expect(pages()).toEqual([1]);
  });
});

describe.each(LISTS)('a limit on %s', (list) => {
  it.each([
    [1, [1]],
    [5, [1]],
    [100, [1]],
    [101, [1, 2]],
    [200, [1, 2]],
    [201, [1, 2, 3]],
  ])('of %i stops the paging at the page that fills it', async (limit, asked) => {
    const ids = fill(list, 250);
    expect(await read(list, { limit })).toEqual(ids.slice(0, limit));
    expect(pages()).toEqual(asked);
  });

  it('above what there is gives what there is, without an extra page', async () => {
    const ids = fill(list, 200);
    expect(await read(list, { limit: 1000 })).toEqual(ids);
    expect(pages()).toEqual(isFullWithoutPageCount(list, 200) ? [1, 2, 3] : [1, 2]);
  });

  it('may be a number in a text, as an expression gives it', async () => {
    const ids = fill(list, 20);
    expect(await read(list, { limit: '={{ "3" }}' })).toEqual(ids.slice(0, 3));
  });

  it.each([
    [0, "'Limit' is less than 1"],
    [-1, "'Limit' is less than 1"],
    [2.5, "'Limit' is not a whole number: 2.5"],
    [130_000, "'Limit' is more than 120000"],
    ['={{ "many" }}', "'Limit' is not a number: many"],
    ['={{ [5] }}', "'Limit' is not a number: [5]"],
    ['={{ true }}', "'Limit' is not a number: true"],
    ['={{ NaN }}', "'Limit' is not a number: null"],
    ['={{ undefined }}', "'Limit' is not a number: undefined"],
  ])('of %p is refused by name, without a request', async (limit, message) => {
    fill(list, 1);
    expect((await harness.refused(parametersFor(list, { limit }))).message).toBe(message);
    const [item] = await harness.run(parametersFor(list, { limit }), { continueOnFail: true });
    expect(item).toMatchObject({ json: { error: message }, pairedItem: { item: 0 } });
    expect(pages()).toEqual([]);
  });
});

describe.each(LISTS)('a service with ways of its own, asked for %s', (list) => {
  it.each([
    ['that puts at most 50 rows on a page', { pageSizeCap: 50 }, 120, [1, 2, 3]],
    ['that does not know the page size', { ignorePageSize: true }, 65, undefined],
    ['that gives everything at once', { ignorePaging: true }, 250, [1]],
  ])('%s gives them all', async (_what, quirks, count, asked) => {
    Object.assign(harness.emulator.quirks, quirks);
    const ids = fill(list, count);
    expect(await read(list, { returnAll: true })).toEqual(ids);
    if (asked !== undefined) expect(inOrder(pages())).toEqual(asked);
    expect(await read(list, { limit: 61 })).toEqual(ids.slice(0, 61));
  });

  // A workspace always has a team member.
  it.each(list.startsWith('team') ? [1, 99, 100, 101, 250] : [0, 1, 99, 100, 101, 250])(
    'that tells no totals is paged one by one, up to %i rows',
    async (count) => {
      harness.emulator.quirks.noPagination = true;
      harness.allowUndocumented();
      const ids = fill(list, count);
      expect(await read(list, { returnAll: true })).toEqual(ids);
      expect(harness.emulator.inFlight.max).toBe(1);
      // Pass after pass until they agree, each page in its order.
      const pass = range(Math.max(...pages())).map((index) => index + 1);
      expect(pages()).toEqual(range(pages().length / pass.length).flatMap(() => pass));
      expect(await read(list, { limit: 101 })).toEqual(ids.slice(0, 101));
    },
  );

  it('that tells no totals and gives the same page again and again is not asked for ever', async () => {
    Object.assign(harness.emulator.quirks, { noPagination: true, ignorePage: true });
    harness.allowUndocumented();
    const ids = fill(list, 250);
    expect(await read(list, { returnAll: true })).toEqual(ids.slice(0, 100));
    expect(await read(list, { limit: 1000 })).toEqual(ids.slice(0, 100));
    expect(pages()).toEqual([1, 2, 1, 2]);
  });

  it('that gives the same page again although it speaks of more is found out, not believed', async () => {
    harness.emulator.quirks.ignorePage = true;
    const ids = fill(list, 250);
    const { message } = await harness.fail(parametersFor(list, { returnAll: true }));
    expect(message).toContain('only 100 of 250');
    expect(pages().length).toBeLessThanOrEqual(5);
    expect(await read(list, { limit: 100 })).toEqual(ids.slice(0, 100));
  });
});

describe('a service whose pages overlap or lie', () => {
  const rows = (from: number, to: number) =>
    range(Math.min(250, to) - from).map((index) => ({
      id: `row-${from + index}`,
      created_at: '2025-01-01T00:00:00.000Z',
      responses: [],
    }));

  /** Responds to each page with what a function makes of its number. */
  function answer(body: (page: number) => { submissions: Array<{ id: string }>; [total: string]: Json }): void {
    fill('submissions', 0);
    harness.allowUndocumented();
    harness.emulator.onRequest(({ query }) => {
      const when = { match: (request: { query: Record<string, string> }) => request.query['page'] === query['page'] };
      harness.emulator.fail({ when, with: { status: 200, body: body(Number(query['page'])) } });
    });
  }

  const expected = range(250).map((index) => `row-${index}`);

  it.each([{ returnAll: true }, { limit: 250 }])('gives no row twice when pages overlap (%p)', async (howMany) => {
    answer((page) => ({ submissions: rows((page - 1) * 90, (page - 1) * 90 + 100) }));
    expect(await read('submissions', howMany)).toEqual(expected);
  });

  it.each([{ returnAll: true }, { limit: 250 }])(
    'gives no row twice when a page has it twice (%p)',
    async (howMany) => {
      answer((page) => {
        const some = page > 3 ? [] : rows((page - 1) * 90, page * 90);
        return { submissions: [...some, ...some.slice(0, 10)] };
      });
      expect(await read('submissions', howMany)).toEqual(expected);
    },
  );

  it('ends at an empty page, whatever total the service speaks of', async () => {
    answer((page) => ({
      submissions: page > 3 ? [] : rows((page - 1) * 100, page * 100),
      pagination: { total_records: 100_000 },
    }));
    expect(await read('submissions', { returnAll: true })).toEqual(expected);
    // Two passes, each with up to eight pages ahead of the one that is empty.
    expect(pages().length).toBeLessThanOrEqual(22);
  });

  it('reads the total where older pages have it', async () => {
    answer((page) => ({
      submissions: rows((page - 1) * 100, page * 100),
      total_count: 250,
      current_page: page,
      total_pages: 3,
    }));
    expect(await read('submissions', { returnAll: true })).toEqual(expected);
    expect(inOrder(pages())).toEqual([1, 2, 3]);
  });
});

describe('Return All of a list that changes while it is read', () => {
  let ids: string[];

  beforeEach(() => {
    ids = fill('submissions', 450);
  });

  const remove = (...gone: string[]) => {
    for (const id of gone) harness.emulator.workspace.deleteSubmission(form.id, id);
  };
  const add = (id: string, createdAt = Date.now()) =>
    harness.emulator.workspace.addSubmission(form.id, { id, createdAt });

  /** Does something just before a page is answered for the first time. */
  function before(page: number, change: () => void): void {
    const stop = harness.emulator.onRequest(({ query }) => {
      if (query['page'] !== String(page)) return;
      stop();
      change();
    });
  }

  /** Every row that was there all the time, none twice, and nothing that was never there. */
  async function expectWhole(gone: string[], came: string[] = [], sort = {}): Promise<void> {
    const given = await read('submissions', { returnAll: true, sort });
    expect(new Set(given).size).toBe(given.length);
    expect(ids.filter((id) => !gone.includes(id) && !given.includes(id))).toEqual([]);
    expect(given.filter((id) => !ids.includes(String(id)) && !came.includes(String(id)))).toEqual([]);
  }

  const at = (index: number) => ids[index] ?? '';

  describe.each(['asc', 'desc'])('in order %s', (order) => {
    const first = () => (order === 'asc' ? at(7) : at(442));
    const second = () => (order === 'asc' ? ids.slice(100, 200) : ids.slice(250, 350));
    const late = LONG_AGO + 30_000;

    it.each<[change: string, page: number, gone: () => string[], came: Array<[id: string, createdAt?: number]>]>([
      ...[2, 3, 4, 5].map((page): [string, number, () => string[], []] => [
        'one row is deleted',
        page,
        () => [first()],
        [],
      ]),
      ['a whole page is deleted', 3, second, []],
      ['one is added', 2, () => [], [['new']]],
      ['a late one is added in the middle', 3, () => [], [['late', late]]],
      ...[2, 3, 5].map((page): [string, number, () => string[], Array<[string]>] => [
        'one is deleted and another added, so that the total stays',
        page,
        () => [first()],
        [['new']],
      ]),
      ['more are added than deleted', 2, () => [first()], [['new-1'], ['new-2']]],
    ])('misses no row and gives none twice when %s before page %i', async (_change, page, deleted, added) => {
      const gone = deleted();
      before(page, () => {
        remove(...gone);
        for (const row of added) add(...row);
      });
      await expectWhole(
        gone,
        added.map(([id]) => id),
        { order },
      );
    });
  });

  it('misses no row when rows are deleted again and again', async () => {
    const gone: string[] = [];
    harness.emulator.onRequest(() => {
      const id = ids.find((candidate) => !gone.includes(candidate)) ?? '';
      if (gone.length >= 12) return;
      gone.push(id);
      remove(id);
    });
    await expectWhole(ids.slice(0, 12));
  });

  it('comes to an end when the list never stands still', async () => {
    let count = 0;
    harness.emulator.onRequest(() => {
      remove(at(count));
      add(`new-${count++}`);
    });
    const given = await read('submissions', { returnAll: true });
    expect(new Set(given).size).toBe(given.length);
    expect(ids.slice(count).filter((id) => !given.includes(id))).toEqual([]);
    expect(pages().length).toBeLessThanOrEqual(26);
  });

  it.each([
    ['nothing changed', []],
    ['it only grew at its end', ['new']],
  ])('is not read again when %s', async (_what, came) => {
    before(2, () => came.forEach((id) => add(id, Date.now() + 5000)));
    await expectWhole([], came);
    expect(inOrder(pages())).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('more results than n8n can take', () => {
  const LIMIT = 120_000;

  function fillHistory(count: number): void {
    form = harness.emulator.workspace.addForm({ title: 'Huge' });
    harness.emulator.workspace.addHistory(form.id, { count, from: LONG_AGO, everyMs: 1000 });
  }

  it.each([1_000_000, LIMIT + 1])(
    'are refused after one request, with the number and the way out: %i',
    async (count) => {
      fillHistory(count);
      await expect(harness.fail(parametersFor('submissions', { returnAll: true }))).resolves.toMatchObject({
        message: anyText(new RegExp(`too long for one input item: ${count} results`)),
        description: anyText(/filters.*limit/),
      });
      expect(pages()).toEqual([1]);
    },
  );

  it('are not seen where there are just enough: reading goes on', async () => {
    fillHistory(LIMIT);
    harness.emulator.fail({ when: { nth: 2, times: Infinity }, with: { status: 403, body: { error: 'Read on' } } });
    await expect(harness.fail(parametersFor('submissions', { returnAll: true }))).resolves.toMatchObject({
      message: 'Read on',
    });
  });

  it('are no obstacle to a limit', async () => {
    fillHistory(1_000_000);
    expect(await read('submissions', { limit: 150 })).toHaveLength(150);
  });

  it('are no obstacle to a time span that holds fewer', async () => {
    fillHistory(1_000_000);
    const from = LONG_AGO + 990_000_000;
    const filters = {
      submittedAfter: new Date(from).toISOString(),
      submittedBefore: new Date(from + 150_000).toISOString(),
    };
    for (const order of ['asc', 'desc']) {
      // Half of the list lies behind the span: the service counts it, but it is not wanted.
      const given = await read('submissions', { returnAll: true, filters, sort: { order } });
      expect(given).toHaveLength(150);
    }
  });

  it('are no obstacle to an upper bound, though the service counts more than are wanted', async () => {
    fillHistory(LIMIT + 500);
    const filters = { submittedBefore: new Date(LONG_AGO + 50_000).toISOString() };
    expect(await read('submissions', { returnAll: true, filters })).toHaveLength(50);
  });
});
