import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';
import { PAGE_SIZE, TEAM_MEMBERS } from '../api/endpoints';
import { idIn, isEmail, isUuid, locatorValue, requireEmail } from '../parameters';
import { readUpTo } from '../api/lists';
import { parsePage, type Row } from '../api/parse';
import type { ApiResponse } from '../api/request';
import { isRecord, textOf } from '../json';

/** The address by which a resource locator names a team member: what is plainly an ID is one in every mode. */
export function emailIn(label: string, value: unknown): string | undefined {
  const entered = locatorValue(value);
  const isByEmail = isRecord(value) && value.mode === 'email' && !isUuid(idIn(entered));
  return isByEmail || isEmail(entered) ? requireEmail(label, entered) : undefined;
}

/** Whether a team member has an address, in any case. */
export function hasEmail({ data: { email } }: Row, wanted: string): boolean {
  return textOf(email).toLowerCase() === wanted.toLowerCase();
}

/**
 * Finds an active team member by address. The addresses are compared here too: a service that ignores the filter lists everyone.
 *
 * @returns the ID
 * @throws UserError when nobody has the address, or only an inactive team member
 */
export async function findTeamMember(
  label: string,
  email: string,
  get: (path: string, query: IDataObject) => Promise<ApiResponse>,
): Promise<string> {
  const readPage = async (page: number) =>
    parsePage(await get(TEAM_MEMBERS, { email, page_number: page, page_size: PAGE_SIZE }), 'team_members');
  const pick = (row: Row) => (hasEmail(row, email) ? row : undefined);
  const members = await readUpTo({ readPage, pick, isFiltered: true }, Infinity);
  const active = members.find((member) => member.data.active !== false);
  if (active !== undefined) return active.id;
  const isInactive = members.length > 0;
  throw new UserError(`'${label}' is ${isInactive ? 'inactive' : 'not in this workspace'}: ${email}`, {
    description: isInactive
      ? 'Only active team members can be found. Add the address again to reactivate this one.'
      : 'No team member has this email address. Choose one from the list, or enter another address.',
  });
}
