import { hash, uuidFrom } from '../random.ts';
import type { Submission } from '../store/types.ts';

const BROWSERS = [
  {
    name: 'Chrome',
    version: '126.0.0.0',
    device_name: 'Unknown',
    device_type: 'desktop',
    operating_system: 'Windows',
    operating_system_version: '10.0',
  },
  {
    name: 'Safari',
    version: '17.5',
    device_name: 'iPhone',
    device_type: 'mobile',
    operating_system: 'iOS',
    operating_system_version: '17.5.1',
  },
  {
    name: 'Firefox',
    version: '127.0',
    device_name: 'Unknown',
    device_type: 'desktop',
    operating_system: 'Linux',
    operating_system_version: '',
  },
  {
    name: 'Safari',
    version: '17.4',
    device_name: 'iPad',
    device_type: 'tablet',
    operating_system: 'iPadOS',
    operating_system_version: '17.4',
  },
];

/** Kept, because making one up takes as long as the rest of a response, and pollers request the same submissions again and again. */
const madeUp = new WeakMap<Submission, Record<string, string>>();

/** The browser and the IP address a submission came from: made up, and always the same for one submission. */
export function userAgentBody(row: Submission): Record<string, string> {
  const body = madeUp.get(row) ?? makeUp(row);
  madeUp.set(row, body);
  return body;
}

function makeUp(row: Submission): Record<string, string> {
  const number = hash(row.id);
  return {
    id: uuidFrom(`${row.id}/user-agent`),
    ...BROWSERS[number % BROWSERS.length],
    // 203.0.113.0/24 is set aside for documentation: nobody's address.
    ip_address: `203.0.113.${1 + (number % 254)}`,
    submission_id: row.id,
    created_at: row.createdAt,
    updated_at: row.createdAt,
  };
}
