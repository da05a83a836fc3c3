import type { Emulator } from '../../emulator/index.ts';

interface Row {
  id: string;
  created_at: string;
}

/** All that the body of a response can hold; each holds a part of it. */
interface ResponseBody {
  forms?: Row[];
  submissions?: Row[];
  team_members?: Row[];
  submissions_count?: number;
  pagination?: Partial<Record<'total_records' | 'total_pages' | 'current_page_number' | 'page_size', number>>;
  total_count?: number;
}

/** A response. A body that is not JSON is in `text` alone. */
export interface Response {
  status: number;
  headers: Record<string, string>;
  text: string;
  data: ResponseBody;
}

/**
 * Sends a request to a path below `/api/external`, with the key and `Accept: application/json` unless `headers` has others.
 * @param options `data` is sent as JSON, a text as it is
 */
export async function send(
  { url, apiKey }: Emulator,
  method: string,
  path: string,
  options: { headers?: Record<string, string>; data?: unknown; signal?: AbortSignal } = {},
): Promise<Response> {
  const { data, signal } = options;
  const json = { Accept: 'application/json', ...(data !== undefined && { 'Content-Type': 'application/json' }) };
  const response = await fetch(`${url}/api/external${path}`, {
    method,
    headers: { 'X-Api-Key': apiKey, ...json, ...options.headers },
    body: typeof data === 'string' || data === undefined ? data : JSON.stringify(data),
    redirect: 'manual',
    signal,
  });
  const text = await response.text();
  const isJson = text.startsWith('{') && text.endsWith('}');
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text,
    data: (isJson ? JSON.parse(text) : {}) as ResponseBody,
  };
}

/** The IDs of the rows in a list. */
export function idsOf({ forms, submissions, team_members }: ResponseBody): string[] {
  return [forms, submissions, team_members].flatMap((rows) => rows ?? []).map(({ id }) => id);
}

/** Numbers from 0 to `count - 1`. */
export function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
