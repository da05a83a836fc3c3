import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Form, Member } from '../../emulator/index.ts';
import { anyText, listWith, objectWith, textLike } from './support/like.ts';
import { type WholeN8n, startTimeoutMs, startWholeN8n } from './support/wholeN8n.ts';
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
  /** The only request there must be. */
  request(known: Known): { method: string; path: string; query?: unknown; body?: unknown };
  items(known: Known): unknown[];
}

const api = '/api/external/v2';

const rows: Row[] = [
  {
    does: 'form: create, with an owner',
    resource: 'form',
    operation: 'create',
    parameters: () => ({ title: 'Feedback', createdByEmail: 'eve.martin@example.com' }),
    request: () => ({
      method: 'POST',
      path: `${api}/forms`,
      body: { form: { title: 'Feedback', created_by_email: 'eve.martin@example.com' } },
    }),
    items: () => [objectWith({ title: 'Feedback', id: anyText })],
  },
  {
    does: 'form: get, with its questions',
    resource: 'form',
    operation: 'get',
    parameters: ({ contact }) => ({ formId: byId(contact.id) }),
    request: ({ contact }) => ({ method: 'GET', path: `${api}/forms/${contact.id}` }),
    items: ({ contact }) => [
      objectWith({ id: contact.id, title: 'Contact us', questions: listWith(objectWith({ label: 'Full name' })) }),
    ],
  },
  {
    does: 'form: get many, archived ones',
    resource: 'form',
    operation: 'getAll',
    parameters: () => ({ returnAll: true, filters: { status: 'archived' } }),
    request: () => ({ method: 'GET', path: `${api}/forms`, query: objectWith({ status: 'archived' }) }),
    items: ({ survey }) => [objectWith({ id: survey.id, title: 'Guest survey 2025' })],
  },
  {
    does: 'submission: get many, the three newest, simplified',
    resource: 'submission',
    operation: 'getAll',
    parameters: ({ contact }) => ({ formId: byId(contact.id), limit: 3, options: { order: 'desc' } }),
    request: ({ contact }) => ({
      method: 'GET',
      path: `${api}/forms/${contact.id}/submissions`,
      query: { order: 'desc', page: '1', page_size: '100' },
    }),
    items: ({ contact }) =>
      Array.from({ length: 3 }, () => ({
        id: anyText,
        created_at: anyText,
        form_id: contact.id,
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
    request: () => ({
      method: 'POST',
      path: `${api}/team-members`,
      body: {
        emails: ['one@example.com', 'two@example.com'],
        organization_role: 'Editor',
        send_invitation_email: 'false',
      },
    }),
    items: () => [{ message: anyText }],
  },
  {
    does: 'team member: get',
    resource: 'teamMember',
    operation: 'get',
    parameters: ({ sana }) => ({ teamMemberId: byId(sana.id) }),
    request: ({ sana }) => ({ method: 'GET', path: `${api}/team-members/${sana.id}` }),
    items: ({ sana }) => [objectWith({ id: sana.id, email: 'sana.iyer@example.com', organization_role: 'Editor' })],
  },
  {
    does: 'team member: get many, by address',
    resource: 'teamMember',
    operation: 'getAll',
    parameters: () => ({ filters: { email: 'sana.iyer@example.com' } }),
    request: () => ({
      method: 'GET',
      path: `${api}/team-members`,
      query: objectWith({ email: 'sana.iyer@example.com' }),
    }),
    items: ({ sana }) => [objectWith({ id: sana.id })],
  },
  {
    does: 'team member: get many, by the deprecated version 1',
    resource: 'teamMember',
    operation: 'getAll',
    parameters: () => ({ limit: 2, options: { apiVersion: 'v1' } }),
    request: () => ({ method: 'GET', path: '/api/external/v1/team_members' }),
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
    request: ({ sana }) => ({
      method: 'PATCH',
      path: `${api}/team-members/${sana.id}`,
      body: { last_name: 'Iyer-Rao', time_zone: 'Asia/Singapore' },
    }),
    items: ({ sana }) => [objectWith({ id: sana.id, last_name: 'Iyer-Rao', time_zone: 'Asia/Singapore' })],
  },
  {
    does: 'team member: remove',
    resource: 'teamMember',
    operation: 'remove',
    parameters: ({ tomas }) => ({ teamMemberId: byId(tomas.id) }),
    request: ({ tomas }) => ({ method: 'DELETE', path: `${api}/team-members/${tomas.id}` }),
    items: () => [{ deleted: true }],
  },
  {
    does: 'team member: remove by e-mail',
    resource: 'teamMember',
    operation: 'removeByEmail',
    parameters: ({ grace }) => ({ emails: grace.email }),
    request: ({ grace }) => ({
      method: 'DELETE',
      path: '/api/external/v1/team_members',
      body: { emails: [grace.email] },
    }),
    items: () => [{ message: anyText }],
  },
];

describe('the NeetoForm node in a whole n8n', () => {
  let whole: WholeN8n;
  let known: Known;
  beforeAll(async () => {
    whole = await startWholeN8n();
    const { forms, members } = whole.emulator.workspace;
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
  afterEach(() => whole.emulator.reset());
  afterAll(async () => await whole.stop());

  async function run(parameters: INodeParameters): Promise<{ items: IDataObject[]; problem: string | undefined }> {
    const { id } = await whole.client.createWorkflow(actionWorkflow(whole.credential, parameters));
    const { itemsOf, error } = await whole.client.run(id, startNode);
    return { items: itemsOf('NeetoForm').map(({ json }) => json as IDataObject), problem: error?.message };
  }

  it.each(rows)('$does', async ({ resource, operation, parameters, request, items }) => {
    expect(await run({ resource, operation, ...parameters?.(known) })).toEqual({
      items: items(known),
      problem: undefined,
    });
    expect(whole.emulator.requests).toEqual([objectWith({ ...request(known) })]);
  });

  it('has no operation that is not run here', async () => {
    const { properties } = await whole.client.nodeType('n8n-nodes-neetoform.neetoForm');
    const offered = properties
      .filter(({ name }) => name === 'operation')
      .flatMap(({ options, displayOptions }) =>
        (options ?? []).map(({ value }) => `${displayOptions?.show?.['resource']?.join()}.${String(value)}`),
      )
      // n8n offers a call of one's own in every node with a credential.
      .filter((operation) => !operation.endsWith('.__CUSTOM_API_CALL__'));
    expect(new Set(rows.map(({ resource, operation }) => `${resource}.${operation}`))).toEqual(new Set(offered));
  });

  it('fails with the words of the service when it refuses a field', async () => {
    const { problem } = await run({
      resource: 'teamMember',
      operation: 'add',
      emails: 'new@example.com',
      additionalFields: { organizationRole: 'Emperor' },
    });
    const answer = JSON.parse(whole.emulator.requests[0]?.responseBody ?? '{}') as { error: string };
    expect(problem).toContain(answer.error);
  });

  it('gives one failed item and goes on with the rest when asked to continue', async () => {
    const draft = actionWorkflow(whole.credential, {
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
    const { id } = await whole.client.createWorkflow({
      ...draft,
      nodes: [found(start), list, { ...found(form), onError: 'continueRegularOutput' }],
      connections: {
        Start: { main: [[{ node: 'Ids', type: 'main', index: 0 }]] },
        Ids: { main: [[{ node: 'NeetoForm', type: 'main', index: 0 }]] },
      },
    });
    const { status, itemsOf } = await whole.client.run(id, startNode);
    expect(status).toBe('success');
    expect(
      itemsOf('NeetoForm').map(({ json, pairedItem }) => ({ title: json['title'], error: json['error'], pairedItem })),
    ).toEqual([
      { title: 'Contact us', pairedItem: { item: 0 } },
      { error: textLike(/Form does not exist/), pairedItem: { item: 1 } },
      { title: 'Guest survey 2025', pairedItem: { item: 2 } },
    ]);
  });
});

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The believable workspace has changed');
  return value;
}
