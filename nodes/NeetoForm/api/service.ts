/** What the nodes read of the service: a function for each endpoint, with its parser. A write has its endpoint and its parser in its operation. */

import type { IDataObject } from 'n8n-workflow';
import {
  createdFrom,
  FORM,
  FORMS,
  pageQuery,
  SUBMISSIONS,
  TEAM_MEMBER,
  TEAM_MEMBERS,
  TEAM_MEMBERS_V1,
  withId,
  type ListKey,
} from './endpoints';
import type { Subject } from './messages';
import { hasStatus } from './nodeErrors';
import { parseForm, parseObject, parsePage, parseSubmissions } from './parse';
import type { Asked, Page, Parse, Submission } from './parse';

export interface GetRequest {
  path: string;
  query?: IDataObject;
  /** What the request is about, for the words of an error. */
  subject?: Subject;
  /** Aborts when the response is no longer needed. */
  signal?: AbortSignal;
}

/**
 * Sends a GET request. Operations, polls and lists in the editor each bring a function of this type, with time limits and credentials of their own.
 *
 * @throws NodeApiError when there is no usable response
 */
export type Get = <T>(request: GetRequest, parse: Parse<T>) => Promise<T>;

/** A form or a team member that a request is about. */
export interface Target extends Subject {
  id: string;
}

/** Which page of a list is wanted, and of which rows. */
export type PageAsked = Asked & Required<Pick<Asked, 'page'>>;

/** Reads a form with its questions. */
export async function readForm(get: Get, form: Target): Promise<IDataObject> {
  return await get({ path: withId(FORM, form.id), subject: form }, parseForm);
}

export async function readTeamMember(get: Get, member: Target): Promise<IDataObject> {
  const parse: Parse<IDataObject> = (response) => parseObject(response, 'team_member');
  return await get({ path: withId(TEAM_MEMBER, member.id), subject: member }, parse);
}

/** @param status narrows the list. Default: all forms */
export async function readFormsPage(get: Get, asked: PageAsked, signal?: AbortSignal, status?: string): Promise<Page> {
  const query = { ...(status !== undefined && { status }), ...listQuery('forms', asked) };
  return await get({ path: FORMS, query, signal }, (response) => parsePage(response, 'forms', asked));
}

export async function readSubmissionsPage(
  get: Get,
  form: Target,
  asked: PageAsked,
  signal?: AbortSignal,
): Promise<Page<Submission>> {
  const query = listQuery('submissions', asked);
  const request = { path: withId(SUBMISSIONS, form.id), query, subject: form, signal };
  return await get(request, (response) => parseSubmissions(response, asked));
}

/** Reads a page of the team members, removed ones included. @param email an exact address. The filter is not documented: compare the rows, too */
export async function readMembersPage(get: Get, asked: PageAsked, signal?: AbortSignal, email?: string): Promise<Page> {
  const query = { ...(email !== undefined && { email }), ...listQuery('team_members', asked) };
  return await get({ path: TEAM_MEMBERS, query, signal }, (response) => parsePage(response, 'team_members', asked));
}

/** Reads a page of the team members from the deprecated version 1, which has no filter. */
export async function readMembersPageV1(get: Get, asked: PageAsked, signal?: AbortSignal): Promise<Page> {
  const request = { path: TEAM_MEMBERS_V1, query: listQuery('team_members', asked), signal };
  return await get(request, (response) => parsePage(response, 'team_members', asked));
}

function listQuery(list: ListKey, { order, after, page, pageSize }: PageAsked): IDataObject {
  return { order, ...createdFrom(after), ...pageQuery(list, page, pageSize) };
}

/** Waits for a read that the service may refuse to this API key. @returns undefined after the service's 403 or 404 @throws all other errors */
export async function unlessHidden<T>(reading: Promise<T>): Promise<T | undefined> {
  return await reading.catch((error: unknown) => {
    // A 403 or 404 without words in its body may come from a server in between.
    if (hasStatus(error, '403', '404') && error.context.hasServiceWords === true) return undefined;
    throw error;
  });
}

/** Waits for a page that may be past the end of its list. @returns undefined when the service refuses the page @throws any other error */
export async function unlessPastEnd<T>(reading: Promise<T>): Promise<T | undefined> {
  return await reading.catch((error: unknown) => {
    if (hasStatus(error, '400', '404', '422')) return undefined;
    throw error;
  });
}
