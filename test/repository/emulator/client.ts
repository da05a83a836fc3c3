import type { Emulator } from '../../../emulator/index.ts';

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
  pagination?: { total_records: number; total_pages?: number };
  total_count?: number;
}

/** Sends a request to a path below `/api/external`, with the key and `Accept: application/json` unless `headers` has others. */
export async function send(
  { url, apiKey }: Emulator,
  method: string,
  path: string,
  { data, headers = {} }: { data?: unknown; headers?: Record<string, string> } = {},
) {
  const type = data === undefined ? {} : { 'Content-Type': 'application/json' };
  const response = await fetch(`${url}/api/external${path}`, {
    method,
    headers: { 'X-Api-Key': apiKey, Accept: 'application/json', ...type, ...headers },
    body: data === undefined ? undefined : JSON.stringify(data),
    redirect: 'manual',
  });
  const text = await response.text();
  const body = (text.startsWith('{') && text.endsWith('}') ? JSON.parse(text) : {}) as ResponseBody;
  return { status: response.status, headers: Object.fromEntries(response.headers), text, data: body };
}

/** The IDs of the rows in a list. */
export function idsOf({ forms, submissions, team_members }: ResponseBody): string[] {
  return [forms, submissions, team_members].flatMap((rows) => rows ?? []).map(({ id }) => id);
}

/** Numbers from 0 to `count - 1`. */
export function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
