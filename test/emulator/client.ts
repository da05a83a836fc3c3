import type { Emulator, Json } from '../../emulator/index.ts';

/** All that the body of a response can hold; each holds a part of it. */
export interface ResponseBody {
  forms: Array<{ id: string; title: string; attempt_url: string }>;
  form: { id: string; title: string; created_by: string };
  submissions_count: number;
  questions: Array<{ slug: string }>;
  submissions: Array<{
    id: string;
    created_at: string;
    responses: Array<{ slug: string; label: string; value: Json }>;
  }>;
  team_members: Array<{ email: string; active: boolean }>;
  team_member: { email: string; last_name: string; profile_image_url: string };
  pagination?: { current_page_number: number; total_records: number; total_pages?: number };
  total_count: number;
}

/** A response. A body that is not JSON is in `text` alone. */
export interface Response {
  status: number;
  headers: Record<string, string>;
  text: string;
  data: ResponseBody;
}

/**
 * Sends a request to a path below `/api/external` over a connection, with the key and `Accept: application/json` unless `headers` has others.
 * @param options `data` is sent as JSON, a text as it is
 */
export async function send(
  { url, apiKey }: Emulator,
  method: string,
  path: string,
  options: { headers?: Record<string, string>; data?: unknown; signal?: AbortSignal } = {},
): Promise<Response> {
  const { data, signal } = options;
  const response = await fetch(`${url}/api/external${path}`, {
    method: method.toUpperCase(),
    headers: {
      'X-Api-Key': apiKey,
      Accept: 'application/json',
      ...(data !== undefined && { 'Content-Type': 'application/json' }),
      ...options.headers,
    },
    body: typeof data === 'string' || data === undefined ? data : JSON.stringify(data),
    redirect: 'manual',
    signal,
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text,
    data: (text.startsWith('{') ? parse(text) : {}) as ResponseBody,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Matches any text in an expected value. */
export function anyText(pattern = /^/): unknown {
  return expect.stringMatching(pattern);
}

/** The ids of the rows in a list. */
export function ids(rows: Array<{ id: string }>): string[] {
  return rows.map(({ id }) => id);
}

/** Numbers from 0 to `count - 1`. */
export function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
