import { systemClock } from '../api/clock';
import type { Row } from '../api/parse';
import { readFormsPage, readMembersPage, type Get } from '../api/service';
import { comparable } from '../text';
import type { List } from './list';
import { readList } from './readList';

const resultOf = (row: Row) => row;

/** Reads all forms, archived ones included. @throws what `readList` throws */
export async function readForms(get: Get, order: 'asc' | 'desc', clock = systemClock): Promise<Row[]> {
  const readPage: List<Row>['readPage'] = async (asked, signal) => await readFormsPage(get, asked, signal);
  return await readList({ key: 'forms', order, readPage, resultOf }, clock);
}

/** Reads the team members, removed ones included. @param email see `readMembersPage` @throws what `readList` throws */
export async function readMembers(get: Get, email?: string): Promise<Row[]> {
  return await readList({
    key: 'team_members',
    readPage: async (asked, signal) => await readMembersPage(get, asked, signal, email),
    resultOf,
  });
}

/** Finds the form with this ID. If there is none, finds all forms with this title, in upper or lower case. */
export function formsNamed(forms: Row[], text: string): Row[] {
  const withId = forms.find(({ id }) => id === text);
  return withId ? [withId] : forms.filter(({ data }) => comparable(data.title) === comparable(text));
}
