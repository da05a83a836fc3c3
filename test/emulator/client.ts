import axios from 'axios';
import type { Emulator, Json } from '../../emulator/index.ts';

/** What a test says about a request; the key and `Accept: application/json` are there unless it says otherwise. */
export interface RequestOptions {
  headers?: Record<string, string>;
  data?: unknown;
  timeout?: number;
}

/** A form as it comes over the wire. */
export interface WireForm {
  id: string;
  title: string;
  attempt_url: string;
  submissions_count: number;
  created_by: string;
}

/** A submission as it comes over the wire. */
export interface WireSubmission {
  id: string;
  created_at: string;
  responses: Array<{ kind: string; label: string; slug: string; value: Json }>;
}

/** A team member as it comes over the wire. */
export interface WireMember {
  email: string;
  last_name: string;
  active: boolean;
  profile_image_url: string;
}

/** All that a response can hold; each holds a part of it. */
export interface ResponseBody {
  forms: WireForm[];
  form: WireForm;
  submissions_count: number;
  attempt_url: string;
  questions: Array<{ slug: string }>;
  submissions: WireSubmission[];
  team_members: WireMember[];
  team_member: WireMember;
  pagination?: { current_page_number: number; total_records: number; total_pages?: number };
  total_count: number;
}

/** A response. */
export interface Response {
  status: number;
  data: ResponseBody;
  headers: Record<string, unknown>;
}

/** Sends a request to a path below `/api/external` over a real connection; every status is a response. */
export async function send(
  emulator: Emulator,
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<Response> {
  const { status, data, headers } = await axios.request<ResponseBody>({
    method,
    url: `${emulator.url}/api/external${path}`,
    headers: { 'X-Api-Key': emulator.apiKey, Accept: 'application/json', ...options.headers },
    data: options.data,
    timeout: options.timeout,
    maxRedirects: 0,
    validateStatus: () => true,
  });
  return { status, data, headers: Object.fromEntries(Object.entries(headers)) };
}

/** Stands for any text in what is expected; what is matched is not looked into further. */
export function anyText(pattern = /^/): unknown {
  return expect.stringMatching(pattern);
}

/** The first of a list that must have one. */
export function firstOf<T>(list: T[]): T {
  const [first] = list;
  if (first === undefined) throw new Error('The list is empty');
  return first;
}

/** The ids of the rows in a list. */
export function ids(rows: Array<{ id: string }>): string[] {
  return rows.map(({ id }) => id);
}

/** Numbers from 0 to `count - 1`. */
export function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
