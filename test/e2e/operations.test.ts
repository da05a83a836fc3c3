import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Form, Member } from '../../emulator/index.ts';
import { anyText, listWith, objectWith, textLike } from './support/matchers.ts';
import { type TestInstance, startTimeoutMs, startTestInstance } from './support/instance.ts';
import { actionWorkflow, byId, startNode } from './support/workflows.ts';

/** What the rows of the table refer to. */
interface Known {
  contact: Form;
  survey: Form;
  sana: Member;
  tomas: Member;
  grace: Member;
}

interface Row {
  /** The operation, and what of it is tried. */
  does: string;
  resource: string;
  operation: string;
  parameters?(known: Known): INodeParameters;
  /** All requests, in any order. */
  requests(known: Known): Array<{ method: string; path: string; query?: unknown; body?: unknown }>;
  items(known: Known): unknown[];
}

const api = '/api/external/v2';

const rows: Row[] = [
  {
    does: 'form: create, with an owner',
    resource: 'form',
    operation: 'create',
    parameters: () => ({ title: 'Feedback', createdByEmail: 'eve.martin@example.com' }),
    requests: () => [
      {
        method: 'POST',
        path: `${api}/forms`,
        body: { form: { title: 'Feedback', created_by_email: 'eve.martin@example.com' } },
      },
    ],
    items: () => [objectWith({ title: 'Feedback', id: anyText })],
  },
  {
    does: 'form: get, with its questions',
    resource: 'form',
    operation: 'get',
    parameters: ({ contact }) => ({ formId: byId(contact.id) }),
    requests: ({ contact }) => [{ method: 'GET', path: `${api}/forms/${contact.id}` }],
    items: ({ contact }) => [
      objectWith({ id: contact.id, title: 'Contact us', questions: listWith(objectWith({ label: 'Full name' })) }),
    ],
  },
  {
    does: 'form: get many, archived ones',
    resource: 'form',
    operation: 'getAll',
    parameters: () => ({ returnAll: true, filters: { status: 'archived' } }),
    requests: () => [{ method: 'GET', path: `${api}/forms`, query: objectWith({ status: 'archived' }) }],
    items: ({ survey }) => [objectWith({ id: survey.id, title: 'Guest survey 2025' })],
  },
  {
    does: 'submission: count, of a period',
    resource: 'submission',
    operation: 'count',
    parameters: ({ contact }) => ({ formId: byId(contact.id), filters: { submittedAfter: '2020-01-01' } }),
    requests: ({ contact }) => [
      {
        method: 'GET',
        path: `${api}/forms/${contact.id}/submissions`,
        query: objectWith({ page: '1', page_size: '1', submitted_after: textLike(/^2020-01-01/) }),
      },
    ],
    items: ({ contact }) => [{ form_id: contact.id, count: 35 }],
  },
  {
    does: 'submission: get many, the three newest, simplified',
    resource: 'submission',
    operation: 'getAll',
    parameters: ({ contact }) => ({ formId: byId(contact.id), limit: 3 }),
    requests: ({ contact }) => [
      {
        method: 'GET',
        path: `${api}/forms/${contact.id}/submissions`,
        query: { order: 'desc', page: '1', page_size: '100' },
      },
      { method: 'GET', path: `${api}/forms/${contact.id}` },
    ],
    items: ({ contact }) =>
      Array.from({ length: 3 }, () => ({
        id: anyText,
        created_at: anyText,
        form_id: contact.id,
        form_title: 'Contact us',
        answers: objectWith({ Message: anyText }),
        custom_columns: objectWith({}),
      })),
  },
  {
    does: 'team member: add two as editors, without an invitation',
    resource: 'teamMember',
    operation: 'add',
    parameters: () => ({
      emails: 'one@example.com, two@example.com',
      additionalFields: { organizationRole: 'Editor', sendInvitationEmail: false },
    }),
    requests: () => [
      {
        method: 'POST',
        path: `${api}/team-members`,
        body: {
          emails: ['one@example.com', 'two@example.com'],
          organization_role: 'Editor',
          send_invitation_email: 'false',
        },
      },
    ],
    items: () => [{ message: anyText, emails: ['one@example.com', 'two@example.com'] }],
  },
  {
    does: 'team member: get',
    resource: 'teamMember',
    operation: 'get',
    parameters: ({ sana }) => ({ teamMemberId: byId(sana.id) }),
    requests: ({ sana }) => [{ method: 'GET', path: `${api}/team-members/${sana.id}` }],
    items: ({ sana }) => [objectWith({ id: sana.id, email: 'sana.iyer@example.com', organization_role: 'Editor' })],
  },
  {
    does: 'team member: get many, by address',
    resource: 'teamMember',
    operation: 'getAll',
    parameters: () => ({ filters: { email: 'sana.iyer@example.com' } }),
    requests: () => [
      {
        method: 'GET',
        path: `${api}/team-members`,
        query: objectWith({ email: 'sana.iyer@example.com' }),
      },
    ],
    items: ({ sana }) => [objectWith({ id: sana.id })],
  },
  {
    does: 'team member: get many, by the deprecated version 1',
    resource: 'teamMember',
    operation: 'getAll',
    parameters: () => ({ limit: 2, options: { apiVersion: 'v1' } }),
    requests: () => [{ method: 'GET', path: '/api/external/v1/team_members' }],
    items: () => [objectWith({ id: anyText }), objectWith({ id: anyText })],
  },
  {
    does: 'team member: update the name and the time zone',
    resource: 'teamMember',
    operation: 'update',
    parameters: ({ sana }) => ({
      teamMemberId: byId(sana.id),
      updateFields: { lastName: 'Iyer-Rao', timeZone: 'Asia/Singapore' },
    }),
    requests: ({ sana }) => [
      {
        method: 'PATCH',
        path: `${api}/team-members/${sana.id}`,
        body: { last_name: 'Iyer-Rao', time_zone: 'Asia/Singapore' },
      },
    ],
    items: ({ sana }) => [objectWith({ id: sana.id, last_name: 'Iyer-Rao', time_zone: 'Asia/Singapore' })],
  },
  {
    does: 'team member: remove',
    resource: 'teamMember',
    operation: 'remove',
    parameters: ({ tomas }) => ({ teamMemberId: byId(tomas.id) }),
    requests: ({ tomas }) => [{ method: 'DELETE', path: `${api}/team-members/${tomas.id}` }],
    items: ({ tomas }) => [{ deleted: true, id: tomas.id }],
  },
  {
    does: 'team member: remove by email',
    resource: 'teamMember',
    operation: 'removeByEmail',
    parameters: ({ grace }) => ({ emails: grace.email }),
    requests: ({ grace }) => [
      {
        method: 'DELETE',
        path: '/api/external/v1/team_members',
        body: { emails: [grace.email] },
      },
    ],
    items: ({ grace }) => [{ deleted: true, emails: [grace.email], message: anyText }],
  },
];

describe('the NeetoForm node in a real n8n instance', () => {
  let instance: TestInstance;
  let known: Known;
  beforeAll(async () => {
    instance = await startTestInstance();
    const { forms, members } = instance.emulator.workspace;
    const form = (title: string) => found(forms.find((each) => each.title === title));
    const member = (name: string) => found(members.find(({ firstName }) => firstName === name));
    known = {
      contact: form('Contact us'),
      survey: form('Guest survey 2025'),
      sana: member('Sana'),
      tomas: member('Tomáš'),
      grace: member('Grace'),
    };
  }, startTimeoutMs);
  afterEach(() => instance.emulator.reset());
  afterAll(async () => await instance.stop());

  async function run(parameters: INodeParameters): Promise<{ items: IDataObject[]; problem: string | undefined }> {
    const { id } = await instance.client.createWorkflow(actionWorkflow(instance.credential, parameters));
    const { itemsOf, error } = await instance.client.run(id, startNode);
    return { items: itemsOf('NeetoForm').map(({ json }) => json as IDataObject), problem: error?.message };
  }

  it.each(rows)('$does', async ({ resource, operation, parameters, requests, items }) => {
    expect(await run({ resource, operation, ...parameters?.(known) })).toEqual({
      items: items(known),
      problem: undefined,
    });
    const expected = requests(known);
    expect(instance.emulator.requests).toHaveLength(expected.length);
    expect(instance.emulator.requests).toEqual(listWith(...expected.map((request) => objectWith({ ...request }))));
  });

  it('offers no operation that is not run here', async () => {
    const { properties } = await instance.client.nodeType('n8n-nodes-neetoform.neetoForm');
    const offered = properties
      .filter(({ name }) => name === 'operation')
      .flatMap(({ options, displayOptions }) =>
        (options ?? []).map(({ value }) => `${displayOptions?.show?.['resource']?.join()}.${String(value)}`),
      )
      // n8n adds a custom API call to every node with a credential.
      .filter((operation) => !operation.endsWith('.__CUSTOM_API_CALL__'));
    expect(new Set(rows.map(({ resource, operation }) => `${resource}.${operation}`))).toEqual(new Set(offered));
  });

  it('fails with the message of the service when it rejects a field', async () => {
    const { problem } = await run({
      resource: 'teamMember',
      operation: 'add',
      emails: 'new@example.com',
      additionalFields: { organizationRole: 'Emperor' },
    });
    const answer = JSON.parse(instance.emulator.requests[0]?.responseBody ?? '{}') as { error: string };
    expect(problem).toContain(answer.error);
  });

  it('returns one failed item and continues with the rest when told to continue on error', async () => {
    const draft = actionWorkflow(instance.credential, {
      resource: 'form',
      operation: 'get',
      formId: byId('={{ $json.id }}'),
    });
    const [start, form] = draft.nodes;
    const ids = [known.contact.id, 'no-such-form', known.survey.id];
    const list = {
      ...found(start),
      id: 'Ids',
      name: 'Ids',
      type: 'n8n-nodes-base.code',
      typeVersion: 2,
      parameters: { jsCode: `return ${JSON.stringify(ids.map((id) => ({ json: { id } })))};` },
    };
    const { id } = await instance.client.createWorkflow({
      ...draft,
      nodes: [found(start), list, { ...found(form), onError: 'continueRegularOutput' }],
      connections: {
        Start: { main: [[{ node: 'Ids', type: 'main', index: 0 }]] },
        Ids: { main: [[{ node: 'NeetoForm', type: 'main', index: 0 }]] },
      },
    });
    const { status, itemsOf } = await instance.client.run(id, startNode);
    expect(status).toBe('success');
    expect(
      itemsOf('NeetoForm').map(({ json, pairedItem }) => ({ title: json['title'], error: json['error'], pairedItem })),
    ).toEqual([
      { title: 'Contact us', pairedItem: { item: 0 } },
      { error: textLike(/Form not found/), pairedItem: { item: 1 } },
      { title: 'Guest survey 2025', pairedItem: { item: 2 } },
    ]);
  });
});

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The sample workspace has changed');
  return value;
}
