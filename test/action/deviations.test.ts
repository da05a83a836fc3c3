import { deviate, DEVIATIONS, type DeviationName } from '../support/deviations';
import { addForms, addMembers, addSubmissions, anyText, idsOf, LONG_AGO, type Parameters } from '../support/harness';
import { useSkippedWaits } from './fastClock';
import { useFilledForm } from './filledForm';

const filled = useFilledForm();
const { formWith, harness, readForm } = filled;

// A service that differs from its interface in totals or page numbers: each result is right, or an error that says what differs.

// A list waits for a second before it is read again.
useSkippedWaits();

const TASKS = ['whole lists', 'the list of version 1', 'Limit 50', 'a lower bound', 'an upper bound', 'Count'] as const;
type Task = (typeof TASKS)[number];
/** `right`, the words of an error, or `unknown` where no response can tell; one for each of a task's requests where they differ. */
type Outcomes = Partial<Record<Task, string | string[]>>;

/** Makes forms, team members and submissions of one form, so many of each. */
function fill(rows: number) {
  const { workspace } = harness.emulator;
  addForms(harness.emulator, rows - 1);
  formWith();
  // A form that is created while its list is read would count as a change of the list.
  workspace.updateForm(filled.form.id, { createdAt: LONG_AGO + rows * 60_000 });
  addMembers(harness.emulator, rows - 1);
  const submissions = addSubmissions(harness.emulator, filled.form, rows).map(({ id }) => id);
  return { submissions, forms: workspace.forms.map(({ id }) => id), members: workspace.members.map(({ id }) => id) };
}

const readRange = async (order: string, filters = {}, more = {}) =>
  idsOf(await readForm({ output: 'raw', returnAll: true, sort: { order }, filters, ...more }));
const getMembers = (apiVersion: string): Parameters => {
  return { resource: 'teamMember', operation: 'getAll', returnAll: true, options: { apiVersion } };
};
const getForms: Parameters = { resource: 'form', operation: 'getAll', returnAll: true, sort: { order: 'asc' } };
const read = async (parameters: Parameters) => idsOf(await harness.run(parameters));
const count = async (filters = {}) => (await readForm({ operation: 'count', filters }))[0]?.json['count'];
const chosen = async () => (await harness.list('searchForms')).results.map(({ value }) => value);

function tasksFor(rows: number): Record<Task, Array<[right: unknown, ask: () => Promise<unknown>]>> {
  const { submissions, forms, members } = fill(rows);
  const [from, to] = [Math.floor(rows / 4), Math.floor(rows * 0.7)];
  const after = { submittedAfter: new Date(LONG_AGO + from * 60_000).toISOString() };
  const before = { submittedBefore: new Date(LONG_AGO + to * 60_000 + 300).toISOString() };
  const [early, between] = [submissions.slice(0, to + 1), submissions.slice(from, to + 1)];
  return {
    'whole lists': [
      [submissions, async () => await readRange('asc')],
      [submissions.toReversed(), async () => await readRange('desc')],
      [forms, async () => await read(getForms)],
      [forms.toReversed(), chosen],
      [members, async () => await read(getMembers('v2'))],
    ],
    'the list of version 1': [[members, async () => await read(getMembers('v1'))]],
    'Limit 50': [[submissions.slice(0, 50), async () => await readRange('asc', {}, { returnAll: false })]],
    'a lower bound': [[submissions.slice(from), async () => await readRange('asc', after)]],
    'an upper bound': [
      [early, async () => await readRange('asc', before)],
      [early.toReversed(), async () => await readRange('desc', before)],
      [between, async () => await readRange('asc', { ...after, ...before })],
      [between.toReversed(), async () => await readRange('desc', { ...after, ...before })],
    ],
    Count: [
      [rows, async () => await count()],
      [rows - from, async () => await count(after)],
      [between.length, async () => await count({ ...after, ...before })],
    ],
  };
}

const everywhere = (message: string): Outcomes => Object.fromEntries(TASKS.map((task) => [task, message]));
/** Of a number without rows beside it, nobody can know whether it is right. */
const inLists = (message: string): Outcomes => ({ ...everywhere(message), Count: 'unknown' });
/** But the oldest submission is in the range, or none is. */
const COUNT_BY_FILTER = ['unknown', 'unknown', 'but shows other rows'];
const always = (outcomes: Outcomes) => ({ 20: outcomes, 100: outcomes, 230: outcomes });

const [OVERFULL, BEHIND, MISSING] = ['but a page with', 'but shows more rows', 'cannot be read completely: it shows'];
const IGNORED = "ignores 'page'";

/** By the number of rows. A task that is not named is done rightly, and with a deviation that is not named, each task is. */
const OUTCOMES: Partial<Record<DeviationName, Partial<Record<20 | 100 | 230, Outcomes>>>> = {
  'the total counts the page': always({ Count: BEHIND }),
  'the total is 0': always(everywhere(OVERFULL)),
  'the total lacks a row of the page': always(everywhere(OVERFULL)),
  'the total is 5 too high': {
    20: inLists(MISSING),
    100: { ...inLists(MISSING), 'Limit 50': 'right', 'an upper bound': ['right', 'right', MISSING, MISSING] },
    230: { ...inLists(MISSING), 'Limit 50': 'right', 'an upper bound': 'right' },
  },
  'the total is 5 too low': {
    20: inLists(OVERFULL),
    100: inLists(OVERFULL),
    230: { Count: 'unknown', 'an upper bound': OVERFULL },
  },
  'the total is at most 200': { 230: { Count: 'unknown' } },
  'the total is a text': always(everywhere('the total is not a number: "')),
  'the total is not that of the filter': {
    20: { ...inLists(MISSING), Count: COUNT_BY_FILTER },
    100: {
      ...inLists(MISSING),
      Count: COUNT_BY_FILTER,
      'Limit 50': 'right',
      'an upper bound': ['right', MISSING, MISSING, MISSING],
    },
    230: {
      ...inLists(MISSING),
      Count: COUNT_BY_FILTER,
      'Limit 50': 'right',
      'an upper bound': ['right', MISSING, 'right', MISSING],
    },
  },
  'pages begin at 0': always({ ...everywhere(IGNORED), 'the list of version 1': MISSING }),
  // A submission that is shown in the second of the bound may be on either side of it.
  'submitted_after is rounded to minutes': always({ Count: ['right', 'right', 'unknown'] }),
  'page is ignored': { 230: { ...everywhere(IGNORED), 'Limit 50': 'right', Count: 'right' } },
  'page is ignored, and unsaid': { 230: { ...everywhere(IGNORED), 'Limit 50': 'right', Count: 'right' } },
  'page_size is at most 50, and said to be 100': {
    100: { ...inLists(MISSING), 'the list of version 1': 'right', 'Limit 50': 'right', Count: 'right' },
    230: { ...inLists(MISSING), 'the list of version 1': 'right', 'Limit 50': 'right', Count: 'right' },
  },
};

const cases = Object.keys(DEVIATIONS) as DeviationName[];
it.each(cases.flatMap((name) => ([20, 100, 230] as const).map((rows) => ({ name, rows }))))(
  '$name, in lists of $rows rows',
  async ({ name, rows }) => {
    const tasks = tasksFor(rows);
    deviate(harness.emulator, name);
    for (const task of TASKS) {
      const expected = OUTCOMES[name]?.[rows]?.[task] ?? 'right';
      for (const [index, [right, ask]] of tasks[task].entries()) {
        const outcome = typeof expected === 'string' ? expected : expected[index];
        if (outcome === 'right') expect(await ask()).toEqual(right);
        else if (outcome !== 'unknown') await expect(ask()).rejects.toThrow(outcome);
      }
    }
  },
);

it.each<[name: string, where: string, ask: () => Promise<unknown>]>([
  ['forms', 'Get Many', async () => await read(getForms)],
  ['forms', 'a field', chosen],
  ['team members', 'Get Many', async () => await read(getMembers('v2'))],
  ['team members', 'Get Many of version 1', async () => await read(getMembers('v1'))],
  ['team members', 'a field', async () => await harness.list('searchTeamMembers')],
  ['submissions', 'Get Many', async () => await readRange('asc')],
])('a list of %s that is not complete is refused by its name, in %s', async (name, _where, ask) => {
  fill(20);
  deviate(harness.emulator, 'the total is 5 too high');
  await expect(ask()).rejects.toThrow(`The list of ${name} ${MISSING} 20 of 25 rows`);
});

it.each(['asc', 'desc'])('a capped total hides no row before an upper bound that no row reaches, %s', async (order) => {
  const { submissions } = fill(230);
  deviate(harness.emulator, 'the total is at most 200');
  const all = order === 'asc' ? submissions : submissions.toReversed();
  expect(await readRange(order, { submittedBefore: '2100-01-01' })).toEqual(all);
});

it('a capped total that leaves no row before the upper bound hides none', async () => {
  const { submissions } = fill(230);
  deviate(harness.emulator, 'the total is at most 200');
  const filters = { submittedBefore: new Date(LONG_AGO + 12 * 60_000).toISOString() };
  const early = submissions.slice(0, 12);
  expect(await readRange('asc', filters)).toEqual(early);
  expect(await readRange('desc', filters, { returnAll: false })).toEqual(early.toReversed());
});

it('Count says which totals of a range contradict its rows', async () => {
  fill(20);
  deviate(harness.emulator, 'the total is not that of the filter');
  const submittedBefore = new Date(LONG_AGO + 5 * 60_000).toISOString();
  await expect(count({ submittedBefore })).rejects.toMatchObject({
    message:
      'The list of submissions has a total of 10000 from the lower bound on, and of 10000 from the upper bound on, but shows other rows',
    description: anyText(/Nothing was returned/),
  });
});

it('Count refuses a bound that the service rounds', async () => {
  fill(20);
  deviate(harness.emulator, 'submitted_after is rounded to minutes');
  const submittedAfter = new Date(LONG_AGO + 10 * 60_000 + 30_000).toISOString();
  await expect(count({ submittedAfter })).rejects.toThrow("ignores 'submitted_after'");
});

it('Count of a form without submissions refuses a total that counts others', async () => {
  formWith();
  deviate(harness.emulator, 'the total is 5 too high');
  await expect(count()).rejects.toThrow('The list of submissions cannot be read completely: it shows 0 of 5 rows');
});

it('Count counts a submission that arrives between its two requests', async () => {
  fill(1);
  harness.emulator.onRequest(({ query }) => {
    if (query['page'] === '2') harness.emulator.workspace.addSubmission(filled.form.id);
  });
  expect(await count()).toBe(2);
});

// A total is of one moment only.
it('Count of a range is right when a submission is added or deleted between its requests', async () => {
  const { submissions } = fill(10);
  const { workspace } = harness.emulator;
  const add = () => workspace.addSubmission(filled.form.id);
  const remove = () => workspace.deleteSubmission(filled.form.id, submissions.pop() ?? '');
  const submittedBefore = new Date(LONG_AGO + 5 * 60_000 + 300).toISOString();
  for (const change of [add, remove]) {
    for (const changed of [2, 3]) {
      let requests = 0;
      harness.emulator.onRequest(() => ++requests === changed && change());
      expect(await count({ submittedBefore })).toBe(6);
    }
  }
});

it('Count fails when the form changes during each of its counts', async () => {
  fill(10);
  harness.emulator.onRequest(() => void harness.emulator.workspace.addSubmission(filled.form.id));
  const submittedBefore = new Date(LONG_AGO + 5 * 60_000).toISOString();
  await expect(count({ submittedBefore })).rejects.toThrow('it was different each time');
});
