import type { IDataObject } from 'n8n-workflow';

const V2 = '/api/external/v2';

export const FORMS = `${V2}/forms`;
export const FORM = `${FORMS}/{formId}`;
export const SUBMISSIONS = `${FORM}/submissions`;
export const TEAM_MEMBERS = `${V2}/team-members`;
export const TEAM_MEMBER = `${TEAM_MEMBERS}/{teamMemberId}`;
export const TEAM_MEMBERS_V1 = '/api/external/v1/team_members';

/** Replaces the name in braces by an ID. @param id checked by `idProblem`; left out for a path without braces */
export function withId(path: string, id = ''): string {
  return path.replace(/\{\w+\}/, () => encodeURIComponent(id));
}

/** The most rows that the service puts on a page. All pages of a list are requested with one size: otherwise, rows would be skipped. */
export const PAGE_SIZE = 100;

/** The name of each list in messages to users. Its key is the one under which a response has the rows. */
export const LIST_NAMES = { forms: 'forms', submissions: 'submissions', team_members: 'team members' } as const;

export type ListKey = keyof typeof LIST_NAMES;

/** The query for one page of a list. The first page has the number 1. */
export function pageQuery(list: ListKey, page: number, pageSize = PAGE_SIZE): IDataObject {
  return { [list === 'team_members' ? 'page_number' : 'page']: page, page_size: pageSize };
}

/** The query for submissions that were created at `ms` or later. @param ms since 1970; undefined for all submissions */
export function createdFrom(ms: number | undefined): IDataObject {
  return ms === undefined ? {} : { submitted_after: new Date(ms).toISOString() };
}
