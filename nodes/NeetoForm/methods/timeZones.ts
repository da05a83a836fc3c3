import type { INodePropertyOptions } from 'n8n-workflow';

/** Names in use today for zones that JavaScript lists by an older name only. */
const CURRENT_NAMES = [
  'Africa/Asmara',
  'America/Argentina/Buenos_Aires',
  'America/Atikokan',
  'America/Indiana/Indianapolis',
  'America/Kentucky/Louisville',
  'America/Nuuk',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Atlantic/Faroe',
  'Europe/Kyiv',
  'Pacific/Chuuk',
  'Pacific/Kanton',
  'Pacific/Pohnpei',
  'UTC',
];

/** The names of all time zones, in alphabetical order; sends no request. */
export async function getTimeZones(): Promise<INodePropertyOptions[]> {
  const names = new Set([...Intl.supportedValuesOf('timeZone'), ...CURRENT_NAMES]);
  return await Promise.resolve([...names].sort().map((name) => ({ name, value: name })));
}
