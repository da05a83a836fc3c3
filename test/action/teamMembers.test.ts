import type { Json } from '../../emulator/index.ts';
import { addMembers, anyText, useHarness } from '../support/harness';

const harness = useHarness();
const team = (operation: string, parameters = {}) => ({ resource: 'teamMember', operation, ...parameters });
const bodies = () => harness.emulator.requests.map(({ body }) => body);
const emailsOf = (items: Array<{ json: { email?: unknown } }>) => items.map(({ json }) => json.email);
/** Answers the next request with these members. */
const answerWith = (...members: Json[]) =>
  harness.emulator.fail({ with: { status: 200, body: { team_members: members, total_count: members.length } } });
const addJane = () => harness.emulator.workspace.addMember({ email: 'jane@example.com' });

it.each<[fields: Record<string, unknown>, sent: Record<string, string>]>([
  [{}, {}],
  [
    { organizationRole: 'Editor', invitedBy: 'admin@example.com', sendInvitationEmail: true },
    { organization_role: 'Editor', invited_by: 'admin@example.com', send_invitation_email: 'true' },
  ],
  [{ sendInvitationEmail: '={{ "No" }}' }, { send_invitation_email: 'false' }],
  [{ organizationRole: '', invitedBy: ' admin@example.com ' }, { invited_by: 'admin@example.com' }],
])(
  'teamMember: add sends the addresses, and what has a value, without blanks around it: %j',
  async (additionalFields, sent) => {
    const emails = 'jane@example.com';
    const json = { message: 'Users have been added successfully.', emails: [emails], already_members: [] };
    expect(await harness.run(team('add', { emails, additionalFields }))).toEqual([{ json, pairedItem: { item: 0 } }]);
    expect(harness.requests()).toEqual(['GET /v2/team-members?page_number=1&page_size=100', 'POST /v2/team-members']);
    expect(bodies().at(-1)).toEqual({ emails: [emails], ...sent });
    const { invitations } = harness.emulator.workspace;
    expect(invitations).toHaveLength(sent['send_invitation_email'] === 'false' ? 0 : 1);
    const organizationRole = sent['organization_role'] ?? 'Standard';
    expect(harness.emulator.workspace.memberByEmail(emails)).toMatchObject({ active: true, organizationRole });
  },
);

it('teamMember: add adds a person once, whom two input items name', async () => {
  const additionalFields = { organizationRole: '={{ $json.role }}' };
  const parameters = team('add', { emails: '={{ $json.email }}', additionalFields });
  const items = [
    { email: 'jane@example.com', role: 'Admin' },
    { email: 'JANE@example.com', role: 'Standard' },
  ];
  const results = await harness.run(parameters, { items });
  expect(results.map(({ json }) => json['already_members'])).toEqual([[], ['JANE@example.com']]);
  expect(harness.emulator.workspace.memberByEmail('jane@example.com')?.organizationRole).toBe('Admin');
});

it('teamMember: add leaves active members as they are, brings removed ones back, and names an address once, as it was first written', async () => {
  harness.emulator.workspace.addMember({ email: 'gone@example.com', active: false });
  harness.emulator.workspace.addMember({ email: 'Bob@Example.com' });
  const emails = 'ADMIN@example.com, Gone@example.com, bob@example.com, gone@EXAMPLE.com, admin@example.com';
  const [item] = await harness.run(team('add', { emails }));
  expect(item?.json).toEqual({
    message:
      'Users have been added successfully. Others are members already. To change the role of a member, use Update.',
    emails: ['Gone@example.com'],
    already_members: ['ADMIN@example.com', 'bob@example.com'],
  });
  expect(bodies().at(-1)).toEqual({ emails: ['Gone@example.com'] });
  expect(harness.emulator.workspace.memberByEmail('admin@example.com')).toMatchObject({ organizationRole: 'Admin' });
  expect(harness.emulator.workspace.memberByEmail('gone@example.com')).toMatchObject({ active: true });
});

it('teamMember: add takes a member for active unless the service says otherwise', async () => {
  answerWith({ id: 'a', email: 'a@example.com' }, { id: 'b', email: ' B@example.com', active: null });
  const [item] = await harness.run(team('add', { emails: 'a@example.com, b@example.com' }));
  expect(item?.json).toMatchObject({ emails: [], already_members: ['a@example.com', 'b@example.com'] });
});

it('teamMember: add sends nothing when all are active members', async () => {
  const [item] = await harness.run(team('add', { emails: 'admin@example.com' }));
  expect(item?.json).toMatchObject({
    message: anyText(/^Nobody was added/),
    emails: [],
    already_members: ['admin@example.com'],
  });
  expect(harness.requests()).toEqual(['GET /v2/team-members?page_number=1&page_size=100']);
});

describe('teamMember: getAll', () => {
  it.each<[apiVersion: string, queries: object[]]>([
    ['v2', [{ email: 'Member120@example.com', page_number: '1', page_size: '100' }]],
    // Version 1 knows no such filter.
    ['v1', ['1', '2'].map((page) => ({ page_number: page, page_size: '100' }))],
  ])('finds one member by address in %s, and sends only what it knows', async (apiVersion, queries) => {
    addMembers(harness.emulator, 150);
    const filters = { email: ' Member120@example.com ' };
    expect(emailsOf(await harness.run(team('getAll', { filters, options: { apiVersion } })))).toEqual([
      'member120@example.com',
    ]);
    expect(harness.emulator.requests.map(({ query }) => query)).toEqual(queries);
  });

  it.each([
    ['', ['admin@example.com', 'member1@example.com', 'gone@example.com']],
    ['active', ['admin@example.com', 'member1@example.com']],
    ['inactive', ['gone@example.com']],
  ])('returns only %s members, which the service is not asked for', async (status, expected) => {
    addMembers(harness.emulator, 1);
    addMembers(harness.emulator, 1, { email: 'gone@example.com', active: false });
    expect(emailsOf(await harness.run(team('getAll', { filters: { status } })))).toEqual(expected);
    expect(harness.requests()).toEqual(['GET /v2/team-members?page_number=1&page_size=100']);
  });
});

it('a member is active unless the service says otherwise: in the filter Status, and when found by the address', async () => {
  const answer = () =>
    answerWith({ id: 'a', email: 'a@example.com' }, { id: 'b', email: 'b@example.com', active: null });
  const idsBy = async (parameters: object) => {
    answer();
    return (await harness.run(team('getAll', parameters))).map(({ json }) => json['id']);
  };
  expect(await idsBy({ filters: { status: 'active' } })).toEqual(['a', 'b']);
  expect(await idsBy({ filters: { status: 'inactive' } })).toEqual([]);
  answer();
  await harness.fail(team('get', { teamMemberId: 'b@example.com' }));
  expect(harness.requests().at(-1)).toBe('GET /v2/team-members/b');
});

describe('teamMember: update', () => {
  const updating = (updateFields: Record<string, unknown>) =>
    team('update', { teamMemberId: { __rl: true, mode: 'id', value: addJane().id }, updateFields });

  it('sends any text as the time zone, because the names that the service knows are not documented', async () => {
    await harness.fail(updating({ timeZone: '={{ "Eastern Time (US & Canada)" }}' }));
    expect(bodies()).toEqual([{ time_zone: 'Eastern Time (US & Canada)' }]);
  });

  it('sends every field that is set, and no unknown one, and returns the member', async () => {
    const values = { email: 'joan@example.com', firstName: ' Joan ', lastName: 'Roe\n', timeZone: 'Asia/Tokyo' };
    const items = await harness.run(updating({ ...values, organizationRole: 'Admin', active: false, admin: true }));
    const sent = {
      email: 'joan@example.com',
      first_name: 'Joan',
      last_name: 'Roe',
      time_zone: 'Asia/Tokyo',
      organization_role: 'Admin',
    };
    const id = harness.emulator.workspace.memberByEmail('joan@example.com')?.id;
    expect(items).toEqual([
      { json: { id, ...sent, active: true, profile_image_url: anyText() }, pairedItem: { item: 0 } },
    ]);
    expect(harness.requests()).toEqual([`PATCH /v2/team-members/${id}`]);
    expect(bodies()).toEqual([sent]);
  });
});

it.each(['id', 'email'])('teamMember: remove says whom it removed, by %s, as it was given', async (mode) => {
  const { id, email } = addJane();
  const value = mode === 'id' ? id : 'Jane@Example.com';
  const items = await harness.run(team('remove', { teamMemberId: { __rl: true, mode, value } }));
  const json = { deleted: true, id, ...(mode === 'email' && { email: value }) };
  expect(items).toEqual([{ json, pairedItem: { item: 0 } }]);
  expect(harness.requests().at(-1)).toBe(`DELETE /v2/team-members/${id}`);
  expect(bodies().at(-1)).toBeUndefined();
  expect(harness.emulator.workspace.memberByEmail(email)?.active).toBe(false);
});

describe('teamMember: removeByEmail', () => {
  it('sends the addresses to version 1 and returns the message of the service', async () => {
    addMembers(harness.emulator, 3);
    const gone = ['member1@example.com', 'member3@example.com'];
    const items = await harness.run(team('removeByEmail', { emails: gone.join(', ') }));
    expect(items).toEqual([
      { json: { deleted: true, emails: gone, message: 'Team member has been removed.' }, pairedItem: { item: 0 } },
    ]);
    expect(harness.requests()).toEqual(['DELETE /v1/team_members']);
    expect(bodies()).toEqual([{ emails: gone }]);
    const active = harness.emulator.workspace.members.filter((member) => member.active);
    expect(active.map(({ email }) => email)).toEqual(['admin@example.com', 'member2@example.com']);
  });

  it('points at the addresses, not at the workspace, when one is not found', async () => {
    const { message, description } = await harness.fail(team('removeByEmail', { emails: 'stranger@example.com' }));
    expect(message).toBe('Team member not found');
    expect(description).toBe("At least one address in 'Emails' is not an active team member.");
  });
});
