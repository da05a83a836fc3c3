import type { Form } from '../../emulator/index.ts';
import { addForms, addMembers, addSubmissions, anyText, idsOf, LONG_AGO, range, useHarness } from '../support/harness';
import { useFastClock } from './fastClock';

const harness = useHarness();
useFastClock(20);

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
  const options = list === 'team members' ? {} : { apiVersion: 'v1' };
  return { resource: 'teamMember', operation: 'getAll', options, ...more };
}

const read = async (list: List, more = {}) => idsOf(await harness.run(parametersFor(list, more)));
const pages = () => harness.emulator.requests.map(({ query }) => Number(query['page'] ?? query['page_number']));
const inOrder = (numbers: number[]) => [...numbers].sort((a, b) => a - b);
const pagesUpTo = (last: number) => range(last).map((index) => index + 1);

describe.each(LISTS)('the list of %s', (list) => {
  it('is complete and in order with Return All, each page requested once', async () => {
    const ids = fill(list, 250);
    expect(await read(list, { returnAll: true })).toEqual(ids);
    expect(inOrder(pages())).toEqual(pagesUpTo(3));
  });

  it.each([
    [100, 1],
    [101, 2],
  ])('ends at the limit: %i rows from %i pages', async (limit, last) => {
    const ids = fill(list, 200);
    expect(await read(list, { limit })).toEqual(ids.slice(0, limit));
    expect(pages()).toEqual(pagesUpTo(last));
  });

  it('is complete on a service that puts at most 50 rows on a page', async () => {
    harness.emulator.quirks.pageSizeCap = 50;
    const ids = fill(list, 120);
    expect(await read(list, { returnAll: true })).toEqual(ids);
    expect(await read(list, { limit: 61 })).toEqual(ids.slice(0, 61));
  });
});

it('Return All and Limit take what an expression gives, and Return All ignores the limit', async () => {
  const ids = fill('forms', 60);
  expect(await read('forms', { returnAll: '={{ "TRUE" }}', limit: 5 })).toEqual(ids);
  expect(await read('forms', { returnAll: '={{ 0 }}' })).toEqual(ids.slice(0, 50));
  expect(await read('forms', { limit: '={{ "3" }}' })).toEqual(ids.slice(0, 3));
});

it('a list that is different each time is refused instead of returned with rows missing', async () => {
  fill('submissions', 450);
  const { workspace } = harness.emulator;
  harness.emulator.onRequest(() => {
    const [first] = workspace.log(form.id).all();
    workspace.log(form.id).delete(first?.id ?? '');
    workspace.addSubmission(form.id, {});
  });
  await expect(harness.fail(parametersFor('submissions', { returnAll: true }))).resolves.toMatchObject({
    message: anyText(/^The list of submissions cannot be read completely: it was different each time/),
    description: anyText(/filters or a limit/),
  });
});

describe('more results than n8n can take', () => {
  const LIMIT = 120_000;

  /** The service says that its list has so many rows. */
  function pretend(total: number): void {
    fill('submissions', 200);
    const pagination = { total_records: total, total_pages: 1, current_page_number: 1, page_size: 100 };
    harness.emulator.fail({
      when: { times: Infinity },
      with: { rewrite: (body) => ({ ...body, pagination, total_count: total }) },
    });
  }

  it('are refused after one request, with the number and what to do', async () => {
    pretend(LIMIT + 1);
    await expect(harness.fail(parametersFor('submissions', { returnAll: true }))).resolves.toMatchObject({
      message: anyText(new RegExp(`too long for one input item: ${LIMIT + 1} results`)),
      description: anyText(/filters.*limit/),
    });
    expect(pages()).toEqual([1]);
  });

  it.each([
    ['when there are just enough', LIMIT, {}],
    ['when a filter may leave enough', LIMIT + 1, { search: 'Jane' }],
  ])('are not refused %s: reading continues', async (_when, count, filters) => {
    harness.emulator.fail({ when: { nth: 2, times: Infinity }, with: { status: 403, body: { error: 'Read on' } } });
    pretend(count);
    const { message } = await harness.fail(parametersFor('submissions', { returnAll: true, filters }));
    expect(message).toBe('Read on');
  });

  it('do not matter to a limit', async () => {
    pretend(LIMIT + 1);
    expect(await read('submissions', { limit: 150 })).toHaveLength(150);
  });

  it('do not matter to an upper bound, though the service counts more', async () => {
    form = harness.emulator.workspace.addForm({ title: 'Huge' });
    harness.emulator.workspace.log(form.id).addHistory({ count: LIMIT + 500, from: LONG_AGO, everyMs: 1000 });
    const filters = { submittedBefore: new Date(LONG_AGO + 50_000).toISOString() };
    expect(await read('submissions', { returnAll: true, filters })).toHaveLength(50);
  });
});
