import type { Parameters } from './bench';

/** An operation of the action node and the request it makes. */
export interface Operation {
  title: string;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  parameters: Parameters;
}

/** An ID that is nobody's: faults answer before anything is looked up. */
const ID = '2d1f0c4e-8b7a-4c39-9a53-3c8f5b1e7d20';

const operation = (
  method: Operation['method'],
  path: string,
  resource: string,
  name: string,
  more: Parameters = {},
): Operation => ({
  title: `${resource}: ${name}`,
  method,
  path: `/api/external${path}`,
  parameters: { resource, operation: name, ...more },
});

/** Every operation of the contract's table, version 1 of the members' list included. */
export const OPERATIONS: Operation[] = [
  operation('POST', '/v2/forms', 'form', 'create', { title: 'New' }),
  operation('GET', `/v2/forms/${ID}`, 'form', 'get', { formId: ID }),
  operation('GET', '/v2/forms', 'form', 'getAll'),
  operation('GET', `/v2/forms/${ID}/submissions`, 'submission', 'getAll', { formId: ID, output: 'raw' }),
  operation('POST', '/v2/team-members', 'teamMember', 'add', { emails: 'jane@example.com' }),
  operation('GET', `/v2/team-members/${ID}`, 'teamMember', 'get', { teamMemberId: ID }),
  operation('GET', '/v2/team-members', 'teamMember', 'getAll'),
  operation('PATCH', `/v2/team-members/${ID}`, 'teamMember', 'update', {
    teamMemberId: ID,
    updateFields: { firstName: 'Jane' },
  }),
  operation('DELETE', `/v2/team-members/${ID}`, 'teamMember', 'remove', { teamMemberId: ID }),
  operation('DELETE', '/v1/team_members', 'teamMember', 'removeByEmail', { emails: 'jane@example.com' }),
  {
    ...operation('GET', '/v1/team_members', 'teamMember', 'getAll', { options: { apiVersion: 'v1' } }),
    title: 'teamMember: getAll of version 1',
  },
];
