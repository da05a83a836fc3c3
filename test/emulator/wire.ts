import axios, { type AxiosResponse, type Method } from 'axios';
import type { Emulator } from '../../emulator/index.ts';

/** What a test says about a request; the key and `Accept: application/json` are there unless it says otherwise. */
export interface WireOptions {
  headers?: Record<string, string>;
  data?: unknown;
  timeout?: number;
}

/** Sends a request to a path below `/api/external` over a real connection; every status is an answer. */
export async function send(emulator: Emulator, method: Method, path: string, options: WireOptions = {}): Promise<AxiosResponse> {
  return await axios.request({
    method,
    url: `${emulator.url}/api/external${path}`,
    headers: { 'X-Api-Key': emulator.apiKey, Accept: 'application/json', ...options.headers },
    data: options.data,
    timeout: options.timeout,
    maxRedirects: 0,
    validateStatus: () => true,
  });
}

/** The ids of the rows in a list answer. */
export function ids(rows: Array<{ id: string }>): string[] {
  return rows.map(({ id }) => id);
}

/** Numbers from 0 to `count - 1`. */
export function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
