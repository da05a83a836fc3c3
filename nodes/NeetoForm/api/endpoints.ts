import type { IDataObject } from 'n8n-workflow';

/** Paths of the service below the workspace's address. `{formId}` and `{teamMemberId}` stand for an ID, encoded as one segment. */
const V2 = '/api/external/v2';
const V1 = '/api/external/v1';

export const FORMS = `${V2}/forms`;
export const FORM = `${FORMS}/{formId}`;
export const SUBMISSIONS = `${FORM}/submissions`;
export const TEAM_MEMBERS = `${V2}/team-members`;
export const TEAM_MEMBER = `${TEAM_MEMBERS}/{teamMemberId}`;
export const TEAM_MEMBERS_V1 = `${V1}/team_members`;

/** A path with the ID in place of the name in braces. @param id as `validateId` finds nothing wrong with */
export function withId(path: string, id = ''): string {
  return path.replace(/\{\w+\}/, () => encodeURIComponent(id));
}

/** The largest page the service returns; kept constant while paging, whatever the limit. */
export const PAGE_SIZE = 100;

/** The key of a list's rows in its response. */
export type ListKey = 'forms' | 'submissions' | 'team_members';

/** As messages name the lists. */
export const LIST_NAMES = { forms: 'forms', submissions: 'submissions', team_members: 'team members' } as const;

/** Asks for page 1, 2, 3 … of a list. */
export function pageQuery(list: ListKey, page: number, pageSize = PAGE_SIZE): IDataObject {
  return { [list === 'team_members' ? 'page_number' : 'page']: page, page_size: pageSize };
}

/** Asks for submissions created at a time (ms) or later. @param ms undefined for all */
export function createdFrom(ms: number | undefined): IDataObject {
  return ms === undefined ? {} : { submitted_after: new Date(ms).toISOString() };
}
