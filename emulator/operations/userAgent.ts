import { hash } from '../random.ts';
import type { Submission } from '../store/types.ts';

/** The browser and the IP address of a respondent: made up, and always the same for one submission. */
export function userAgentBody({ id, createdAt }: Submission): Record<string, string> {
  return {
    id: `${id}-user-agent`,
    name: 'Safari',
    version: '17.5',
    device_name: 'iPhone',
    device_type: 'mobile',
    operating_system: 'iOS',
    operating_system_version: '17.5.1',
    // 203.0.113.0/24 is reserved for documentation: nobody's address.
    ip_address: `203.0.113.${1 + (hash(id) % 254)}`,
    submission_id: id,
    created_at: createdAt,
    updated_at: createdAt,
  };
}
