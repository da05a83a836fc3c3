import type { FaultEffect } from '../../emulator/index.ts';
import { addSubmissions, idsOf, LONG_AGO } from '../support/harness';
import { useFilledForm } from './filledForm';

const filled = useFilledForm();
const { formWith, harness, readForm } = filled;

beforeEach(() => formWith());

/** The queries for submissions; the form itself is read beside them. */
const queries = () =>
  harness.emulator.requests.filter(({ path }) => path.endsWith('/submissions')).map(({ query }) => query);

it('submission: getAll always sends an order: newest first by default', async () => {
  const ids = addSubmissions(harness.emulator, filled.form, 3).map(({ id }) => id);
  expect(idsOf(await readForm({ sort: undefined }))).toEqual([...ids].reverse());
  expect(idsOf(await readForm({ sort: { order: 'desc' } }))).toEqual([...ids].reverse());
  expect(idsOf(await readForm({ sort: { order: '={{ "ASC" }}' } }))).toEqual(ids);
  expect(queries().map(({ order }) => order)).toEqual(['desc', 'desc', 'asc']);
});

it.each(['  ', '=', '=  '])('the filter Submitted After is not set when it is %p', async (submittedAfter) => {
  await readForm({ filters: { submittedAfter } });
  expect(queries()[0]).not.toHaveProperty('submitted_after');
});

it.each(['asc', 'desc'])(
  'the filter Submitted After has a submission that was made exactly then, %s',
  async (order) => {
    const [oldest] = addSubmissions(harness.emulator, filled.form, 3).map(({ id }) => id);
    const filters = { submittedAfter: new Date(LONG_AGO).toISOString() };
    expect(idsOf(await readForm({ filters, sort: { order } }))).toContain(oldest);
    const before = { submittedBefore: new Date(LONG_AGO + 60_000).toISOString() };
    expect(idsOf(await readForm({ filters: { ...filters, ...before }, sort: { order } }))).toEqual([oldest]);
  },
);

it('submissions without a list of answers are refused, and may have none', async () => {
  addSubmissions(harness.emulator, filled.form, 1);
  const answeredBy = (change: object): FaultEffect => ({
    rewrite: ({ submissions = [], ...body }) => ({
      ...body,
      submissions: submissions.map((row) => ({ ...row, ...change })),
    }),
  });
  const rows = (change: object) => {
    harness.emulator.fail({ when: { path: /submissions$/ }, with: answeredBy(change) });
    return readForm();
  };
  await expect(rows({ responses: undefined })).rejects.toThrow('a submission has no list of answers');
  expect(await rows({ responses: null })).toHaveLength(1);
});

it('the filter Submitted Before is exclusive, and is not sent: the service documents no such parameter', async () => {
  const times = { early: '2026-02-09T08:29:59.999Z', late: '2026-02-09T08:30:00.000Z' };
  for (const [id, time] of Object.entries(times))
    harness.emulator.workspace.addSubmission(filled.form.id, { id, createdAt: Date.parse(time) });
  expect(idsOf(await readForm({ filters: { submittedBefore: times.late } }))).toEqual(['early']);
  const page = { order: 'asc', page: '1', page_size: '100' };
  // How many are later tells where the range ends.
  const counted = { ...page, order: 'desc', submitted_after: times.late };
  expect(queries()).toEqual(expect.arrayContaining([counted, page]));
  expect(queries()).toHaveLength(2);
});

it('the filter Search finds submissions with all words in the ID or the answers, and stops reading at the limit', async () => {
  formWith({ label: 'Name' }, { label: 'City' });
  const add = (id: string, name: string, city: string) =>
    harness.emulator.workspace.addSubmission(filled.form.id, { id, createdAt: LONG_AGO, answers: { name, city } });
  add('first', 'Mia', 'Pune');
  add('second', 'Mia', 'Köln');
  add('third', 'Tom', 'Köln');
  const search = async (text: string, more = {}) => idsOf(await readForm({ filters: { search: text }, ...more }));
  expect(await search('köln MIA')).toEqual(['second']);
  addSubmissions(harness.emulator, filled.form, 450, { answers: { city: 'Pune' } });
  expect(await search('pune', { limit: 3 })).toHaveLength(3);
  expect(queries().filter(({ page }) => page === '5')).toEqual([]);
});

it("a date without a zone is in the workflow's, and a date may be one of n8n", async () => {
  const submittedBefore = "={{ DateTime.fromISO('2026-02-09T08:30:00+01:00').plus({ days: 1 }) }}";
  await readForm({ filters: { submittedAfter: '2026-02-09 08:30:00', submittedBefore } }, { timezone: 'Asia/Tokyo' });
  const instants = ['2026-02-08T23:30:00.000Z', '2026-02-10T07:30:00.000Z'];
  expect(queries().map((query) => query['submitted_after'])).toEqual(instants);
});

describe('submission: count', () => {
  const at = (minutes: number) => new Date(LONG_AGO + minutes * 60_000).toISOString();

  it.each([
    [0, {}, 0, 1],
    [1, {}, 1, 2],
    [2, {}, 2, 1],
    [250, {}, 250, 1],
    [250, { submittedAfter: at(100) }, 150, 1],
    [250, { submittedAfter: at(0) }, 250, 1],
    [250, { submittedBefore: at(100) }, 100, 3],
    [250, { submittedAfter: at(50), submittedBefore: at(100) }, 50, 3],
    [250, { submittedAfter: at(1000) }, 0, 1],
  ])(
    'of %i submissions, counts those within %j: %i, with %i requests, and reads none',
    async (rows, filters, within, requests) => {
      addSubmissions(harness.emulator, filled.form, rows);
      const json = { form_id: filled.form.id, count: within };
      expect(await readForm({ operation: 'count', filters })).toEqual([{ json, pairedItem: { item: 0 } }]);
      expect(harness.requests()).toHaveLength(requests);
      expect(new Set(queries().map((query) => query['page_size']))).toEqual(new Set(['1']));
    },
  );
});
