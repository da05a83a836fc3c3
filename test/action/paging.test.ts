import { setTimeout as wait } from 'node:timers/promises';

import type { Form } from '../../emulator/index.ts';
import { addForms, addMembers, addSubmissions, idsOf, LONG_AGO, useHarness } from '../support/harness';
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
  // Removed members are in the list.
  harness.emulator.workspace.addMember({ email: 'gone@example.com', active: false });
  addMembers(harness.emulator, count - 2);
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
describe.each(LISTS)('the list of %s', (list) => {
  it('is complete and in order with Return All, each page requested once', async () => {
    const ids = fill(list, 250);
    expect(await read(list, { returnAll: true })).toEqual(ids);
    expect(pages().toSorted()).toEqual([1, 2, 3]);
  });

  it('ends at the limit, without a page that is not needed', async () => {
    const ids = fill(list, 200);
    expect(await read(list, { limit: 100 })).toEqual(ids.slice(0, 100));
    expect(pages()).toEqual([1]);
  });
});

it('pages that wait for their turn are not requested any more when the limit is reached', async () => {
  fill('forms', 1_500);
  harness.emulator.workspace.addForm({ title: 'Wanted', createdAt: LONG_AGO + 150.5 * 60_000 });
  // Page 2 has it; the last ones that are started ahead wait for those that are slow.
  harness.emulator.fail({
    when: { match: ({ query }) => Number(query['page']) > 2, times: Infinity },
    with: { delayMs: 200 },
  });
  expect(await read('forms', { filters: { title: 'wanted' }, limit: 1 })).toHaveLength(1);
  await wait(500);
  expect(pages()).not.toContain(9);
});
