import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { systemClock } from '../api/clock';
import { LIST_NAMES, type ListKey } from '../api/endpoints';
import type { Subject } from '../api/messages';
import type { Row } from '../api/parse';
import { readList, type List } from '../api/readList';
import { request, type ApiResponse } from '../api/request';
import { RequestLimiter } from '../api/requestLimiter';
import { CREDENTIAL, workspaceUrl } from '../api/workspaceUrl';
import { nameDistinctly, type Namings } from './choices';

/** ms for a whole list: a user is waiting in front of it. */
const TIME_LIMIT_MS = 10_000;

/** A list of the service that the editor offers for a choice. */
export interface EditorList {
  path: string;
  key: ListKey;
  order?: 'desc';
  namings: Namings<Row>;
  /** The page of a row, which n8n links to. */
  urlOf?: (row: Row) => string | undefined;
}

/** Sends a read request to a path below the workspace's address, and parses the response. */
type Get = <T>(
  path: string,
  query: IDataObject,
  parse: (response: ApiResponse) => T,
  signal?: AbortSignal,
) => Promise<T>;

/** Reads a whole list, several pages at once, in ten seconds at most. @throws NodeApiError, or UserError as `readList` */
export async function readEditorList(context: ILoadOptionsFunctions, { path, key, order }: EditorList): Promise<Row[]> {
  const get = await editorRequest(context, { what: LIST_NAMES[key] });
  const request: List<Row>['request'] = async (query, parse, signal) => await get(path, query, parse, signal);
  return await readList({ key, order, request, keep: (row) => row });
}

/** The rows as choices, each with a name of its own. @param matches whether a row is shown */
export function toChoices(
  rows: Row[],
  { namings, urlOf }: EditorList,
  matches: (row: Row) => boolean,
): INodeListSearchResult {
  const shown = nameDistinctly(rows, namings).filter(({ row }) => matches(row));
  const results = shown.map(({ row, name }) => {
    const url = urlOf?.(row);
    return { name, value: row.id, ...(url !== undefined && { url }) };
  });
  return { results };
}

/** Sends requests for the editor: they throw NodeApiError when there is no usable response within ten seconds, all together. */
export async function editorRequest(context: ILoadOptionsFunctions, subject: Subject): Promise<Get> {
  const baseURL = workspaceUrl(await context.getCredentials(CREDENTIAL));
  const end = systemClock.timeout(TIME_LIMIT_MS);
  const policy = {
    subject,
    limiter: new RequestLimiter(),
    giveUpAt: systemClock.now() + TIME_LIMIT_MS,
  };
  return async (url, qs, parse, signal) =>
    await request(context, { method: 'GET', baseURL, url, qs }, { ...policy, signals: [end, signal] }, parse);
}
