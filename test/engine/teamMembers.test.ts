import type { Member } from '../../emulator/index.ts';
import { addMembers, anyText, jsons, useHarness } from '../support/harness';

const harness = useHarness();
const team = (operation: string, parameters = {}) => ({ resource: 'teamMember', operation, ...parameters });
const bodies = () => harness.emulator.requests.map(({ body }) => body);

function addJane(): Member {
  return harness.emulator.workspace.addMember({
    email: 'jane@example.com',
    firstName: 'Jane',
    lastName: 'Doe',
    timeZone: 'Europe/Berlin',
    organizationRole: 'Editor',
    createdAt: 0,
    updatedAt: 0,
  });
}

describe('teamMember: add', () => {
  const add = async (emails: unknown, additionalFields = {}, json = {}) =>
    await harness.run(team('add', { emails, additionalFields }), { items: [json] });

  it('posts the addresses alone and returns them with the message of the service', async () => {
    const items = await add('jane@example.com');
    expect(items).toEqual([
      {
        json: { message: 'Users have been added successfully.', emails: ['jane@example.com'] },
        pairedItem: { item: 0 },
      },
    ]);
    expect(harness.requests()).toEqual(['POST /v2/team-members']);
    expect(bodies()).toEqual([{ emails: ['jane@example.com'] }]);
    expect(harness.emulator.workspace.team.byEmail('jane@example.com')).toMatchObject({
      active: true,
      organizationRole: 'Standard',
    });
  });

  it.each([
    ['text with commas', 'a@example.com, b@example.com'],
    ['untidy text', ' a@example.com ,, b@example.com , '],
    ['a list from an expression', '={{ ["a@example.com", " b@example.com "] }}'],
    ['a list from an item', '={{ $json.list }}'],
    ['text from an item', '={{ $json.text }}'],
    ['addresses that come twice', 'a@example.com, b@example.com, a@example.com'],
  ])('takes %s', async (_what, emails) => {
    await add(emails, {}, { list: ['a@example.com', 'b@example.com'], text: 'a@example.com,b@example.com' });
    expect(bodies()).toEqual([{ emails: ['a@example.com', 'b@example.com'] }]);
  });

  it.each(['', '  ', ' , ,', '={{ [] }}', '={{ undefined }}', '={{ null }}', '={{ [""] }}'])(
    'refuses an empty list of addresses, %p, without a request',
    async (emails) => {
      await expect(harness.fail(team('add', { emails }))).resolves.toMatchObject({ message: "'Emails' is empty" });
      expect(harness.requests()).toEqual([]);
    },
  );

  it.each([
    ['jane@', 'jane@'],
    ['good@example.com, jane.example.com', 'jane.example.com'],
    ['good@example.com, a@b@example.com, jane@nowhere', 'a@b@example.com, jane@nowhere'],
    ['Jane <jane@example.com>', 'Jane <jane@example.com>'],
    ['={{ ["good@example.com", "bad address@example.com"] }}', 'bad address@example.com'],
    ['={{ ["good@example.com", 42] }}', '42'],
    ['={{ 42 }}', '42'],
  ])('names what is no address in %p, and asks nothing', async (emails, named) => {
    const { message, description } = await harness.fail(team('add', { emails }));
    expect(message).toMatch(/^'Emails' has /);
    expect(message).toContain(named);
    expect(message).not.toContain('good@example.com');
    expect(description).toContain('Nothing was sent');
    expect(harness.requests()).toEqual([]);
  });

  it.each([
    '={{ ["good@example.com", null] }}',
    '={{ ["good@example.com", { email: "jane@example.com" }] }}',
    '={{ { email: "jane@example.com" } }}',
  ])('does not pass over an entry that is no text: %p', async (emails) => {
    await expect(harness.fail(team('add', { emails }))).resolves.toMatchObject({ message: anyText(/^'Emails' /) });
    expect(harness.requests()).toEqual([]);
  });

  it('sends the optional fields that are set', async () => {
    await add('jane@example.com', {
      organizationRole: 'Editor',
      invitedBy: 'admin@example.com',
      sendInvitationEmail: true,
    });
    expect(bodies()).toEqual([
      {
        emails: ['jane@example.com'],
        organization_role: 'Editor',
        invited_by: 'admin@example.com',
        send_invitation_email: 'true',
      },
    ]);
    expect(harness.emulator.workspace.invitations).toEqual([
      { email: 'jane@example.com', invitedBy: 'admin@example.com' },
    ]);
  });

  it.each([
    [false, 'false', 0],
    [true, 'true', 1],
    ['={{ false }}', 'false', 0],
    ['={{ true }}', 'true', 1],
    ['={{ "false" }}', 'false', 0],
    ['={{ "FALSE" }}', 'false', 0],
    ['={{ "False" }}', 'false', 0],
    ['={{ "no" }}', 'false', 0],
    ['={{ "0" }}', 'false', 0],
    ['={{ 0 }}', 'false', 0],
    ['={{ "TRUE" }}', 'true', 1],
    ['={{ 1 }}', 'true', 1],
  ])(
    'says whether to send invitations as a text: %p goes out as "%s"',
    async (sendInvitationEmail, sent, invitations) => {
      await add('jane@example.com', { sendInvitationEmail });
      expect(bodies()).toEqual([{ emails: ['jane@example.com'], send_invitation_email: sent }]);
      expect(harness.emulator.workspace.invitations).toHaveLength(invitations);
    },
  );

  it.each(['={{ undefined }}', '={{ null }}', '={{ $json.missing }}'])(
    'leaves the invitation to the service when there is no value: %p',
    async (sendInvitationEmail) => {
      await add('jane@example.com', { sendInvitationEmail });
      expect(bodies()).toEqual([{ emails: ['jane@example.com'] }]);
    },
  );

  it.each([
    '={{ "maybe" }}',
    '={{ "" }}',
    '={{ 2 }}',
    '={{ [false] }}',
    '={{ {} }}',
    '={{ "null" }}',
    '={{ "undefined" }}',
  ])('refuses %p for Send Invitation Email by name, without a request', async (sendInvitationEmail) => {
    await expect(
      harness.fail(team('add', { emails: 'jane@example.com', additionalFields: { sendInvitationEmail } })),
    ).resolves.toMatchObject({ message: anyText(/^'Send Invitation Email' is neither true nor false: /) });
    expect(harness.requests()).toEqual([]);
  });

  it.each(['={{ 5.5e300 * 1e300 }}', '={{ ["Editor"] }}', '={{ true }}', '={{ { role: "Editor" } }}'])(
    'refuses %p for Organization Role by name, without a request',
    async (organizationRole) => {
      await expect(
        harness.fail(team('add', { emails: 'jane@example.com', additionalFields: { organizationRole } })),
      ).resolves.toMatchObject({ message: anyText(/^'Organization Role' is not a text: /) });
      expect(harness.requests()).toEqual([]);
    },
  );

  it('sends a role that is a number as a text', async () => {
    harness.allowUndocumented();
    await harness.fail(team('add', { emails: 'jane@example.com', additionalFields: { organizationRole: '={{ 5 }}' } }));
    expect(bodies()).toEqual([{ emails: ['jane@example.com'], organization_role: '5' }]);
  });

  it('sends the inviter without the blanks around the address', async () => {
    await add('jane@example.com', { invitedBy: ' admin@example.com ' });
    expect(bodies()).toEqual([{ emails: ['jane@example.com'], invited_by: 'admin@example.com' }]);
  });

  it('leaves out what is there but empty', async () => {
    await add('jane@example.com', { organizationRole: '', invitedBy: '' });
    expect(bodies()).toEqual([{ emails: ['jane@example.com'] }]);
  });

  it('refuses an inviter that is no address, without a request', async () => {
    const { message } = await harness.fail(
      team('add', { emails: 'jane@example.com', additionalFields: { invitedBy: 'the boss' } }),
    );
    expect(message).toMatch(/'Invited By'.*the boss/);
    expect(harness.requests()).toEqual([]);
  });

  it("shows the service's words about a role that does not exist", async () => {
    await expect(
      harness.fail(team('add', { emails: 'jane@example.com', additionalFields: { organizationRole: 'editor' } })),
    ).resolves.toMatchObject({
      message: 'Organization role editor does not exist',
      httpCode: '422',
    });
  });
});

describe('teamMember: get', () => {
  it('gives the member itself', async () => {
    const { id } = addJane();
    const items = await harness.run(team('get', { teamMemberId: { __rl: true, mode: 'id', value: id } }));
    expect(items).toEqual([
      {
        json: {
          id,
          email: 'jane@example.com',
          first_name: 'Jane',
          last_name: 'Doe',
          time_zone: 'Europe/Berlin',
          organization_role: 'Editor',
          active: true,
          profile_image_url: anyText(/^http/),
        },
        pairedItem: { item: 0 },
      },
    ]);
    expect(harness.requests()).toEqual([`GET /v2/team-members/${id}`]);
  });

  it('says that an inactive member cannot be found', async () => {
    const { id } = harness.emulator.workspace.addMember({ email: 'gone@example.com', active: false });
    const { message, description } = await harness.fail(team('get', { teamMemberId: id }));
    expect(message).toBe('Team member not found');
    expect(description).toContain(id);
    expect(description).toContain('active');
  });
});

describe('teamMember: getAll', () => {
  it('gives one item per member, active or not, asking for a full page and nothing else', async () => {
    addMembers(harness.emulator, 1);
    addMembers(harness.emulator, 1, { email: 'gone@example.com', active: false });
    const items = await harness.run(team('getAll'));
    expect(items.map(({ json, pairedItem }) => [json.email, json.active, pairedItem])).toEqual([
      ['admin@example.com', true, { item: 0 }],
      ['member1@example.com', true, { item: 0 }],
      ['gone@example.com', false, { item: 0 }],
    ]);
    expect(harness.requests()).toEqual(['GET /v2/team-members?page_number=1&page_size=100']);
  });

  it('asks version 2 when that is chosen', async () => {
    await harness.run(team('getAll', { options: { apiVersion: 'v2' } }));
    expect(harness.requests()).toEqual(['GET /v2/team-members?page_number=1&page_size=100']);
  });

  it('asks the deprecated version 1 when that is chosen, page by page', async () => {
    addMembers(harness.emulator, 120);
    const items = await harness.run(team('getAll', { returnAll: true, options: { apiVersion: 'v1' } }));
    expect(items).toHaveLength(121);
    expect(harness.requests()).toEqual([
      'GET /v1/team_members?page_number=1&page_size=100',
      'GET /v1/team_members?page_number=2&page_size=100',
    ]);
  });

  it.each(['v1', 'v2'])('finds one member by address in %s, and asks for this one only', async (apiVersion) => {
    addMembers(harness.emulator, 150);
    const items = await harness.run(
      team('getAll', { filters: { email: ' Member120@example.com ' }, options: { apiVersion } }),
    );
    expect(jsons(items).map(({ email }) => email)).toEqual(['member120@example.com']);
    expect(harness.emulator.requests.map(({ query }) => query)).toEqual([
      { email: 'Member120@example.com', page_number: '1', page_size: '100' },
    ]);
  });

  it.each([
    ['={{ $json.missing }}', "'Email' is empty: its expression gives no value"],
    ['={{ null }}', "'Email' is empty: its expression gives no value"],
    ['={{ $json.missing }} ', "'Email' is empty: its expression gives no value"],
    ['={{ ["admin@example.com"] }}', `'Email' is not an email address: ["admin@example.com"]`],
    ['={{ { email: "admin@example.com" } }}', `'Email' is not an email address: {"email":"admin@example.com"}`],
    ['={{ true }}', "'Email' is not an email address: true"],
    ['nobody', "'Email' is not an email address: nobody"],
  ])('fails and names the filter when it is %p, instead of returning everybody', async (email, message) => {
    addMembers(harness.emulator, 2);
    for (const more of [{}, { returnAll: true }]) {
      await expect(harness.fail(team('getAll', { filters: { email }, ...more }))).resolves.toMatchObject({ message });
    }
    expect(harness.requests()).toEqual([]);
  });

  it.each(['={{ undefined }}', '={{ null }}', '={{ "" }}', '={{ " " }}', ''])(
    'returns everybody to an agent that gives %p for the address',
    async (email) => {
      addMembers(harness.emulator, 2);
      expect(await harness.run(team('getAll', { filters: { email } }), { asTool: true })).toHaveLength(3);
    },
  );

  it.each([' V1 ', '={{ "v1" }}'])('asks version 1 when an expression gives %p', async (apiVersion) => {
    await harness.run(team('getAll', { options: { apiVersion } }));
    expect(harness.requests()).toEqual(['GET /v1/team_members?page_number=1&page_size=100']);
  });

  it.each(['={{ 1 }}', '={{ "v3" }}', '={{ null }}'])('refuses the version %p by name', async (apiVersion) => {
    await expect(harness.fail(team('getAll', { options: { apiVersion } }))).resolves.toMatchObject({
      message: anyText(/^'API Version' is not one of its options: /),
    });
    expect(harness.requests()).toEqual([]);
  });

  it.each(['', '  ', '={{ "" }}'])('takes %p for no address', async (email) => {
    addMembers(harness.emulator, 2);
    expect(await harness.run(team('getAll', { filters: { email } }))).toHaveLength(3);
    expect(harness.emulator.requests[0]?.query).not.toHaveProperty('email');
  });

  it('gives only this member when the service does not know the filter', async () => {
    addMembers(harness.emulator, 150);
    harness.allowUndocumented();
    const stop = ignoreEmail();
    const items = await harness.run(team('getAll', { returnAll: true, filters: { email: 'member120@example.com' } }));
    stop();
    expect(jsons(items).map(({ email }) => email)).toEqual(['member120@example.com']);
  });

  /** Answers as a service that does not know the parameter `email`. */
  function ignoreEmail(): () => void {
    return harness.emulator.onRequest((request) => {
      if (request.query['email'] === undefined) return;
      const page = Number(request.query['page_number']);
      const rows = harness.emulator.workspace.members
        .slice((page - 1) * 100, page * 100)
        .map(({ id, email }) => ({ id, email }));
      harness.emulator.fail({
        with: { status: 200, body: { team_members: rows, pagination: { total_records: 151 } } },
      });
    });
  }
});

describe('teamMember: update', () => {
  it('sends every field that is set, and gives the member', async () => {
    const { id } = addJane();
    const items = await harness.run(
      team('update', {
        teamMemberId: { __rl: true, mode: 'id', value: id },
        updateFields: {
          email: 'joan@example.com',
          firstName: 'Joan',
          lastName: 'Roe',
          timeZone: 'Asia/Tokyo',
          organizationRole: 'Admin',
        },
      }),
    );
    const changed = {
      email: 'joan@example.com',
      first_name: 'Joan',
      last_name: 'Roe',
      time_zone: 'Asia/Tokyo',
      organization_role: 'Admin',
    };
    expect(items).toEqual([
      { json: { id, ...changed, active: true, profile_image_url: anyText() }, pairedItem: { item: 0 } },
    ]);
    expect(harness.requests()).toEqual([`PATCH /v2/team-members/${id}`]);
    expect(bodies()).toEqual([changed]);
  });

  it('sends nothing but what is set', async () => {
    const { id } = addJane();
    await harness.run(team('update', { teamMemberId: id, updateFields: { lastName: 'Roe' } }));
    expect(bodies()).toEqual([{ last_name: 'Roe' }]);
  });

  it('can empty a name', async () => {
    const { id } = addJane();
    const [item] = await harness.run(team('update', { teamMemberId: id, updateFields: { lastName: '' } }));
    expect(bodies()).toEqual([{ last_name: '' }]);
    expect(item?.json.last_name).toBe('');
  });

  it.each([
    ['no fields', {}],
    ['a field without a value', { firstName: '={{ undefined }}' }],
    ['a field of an item that is not there', { firstName: '={{ $json.nothing }}' }],
    ['a field with null', { firstName: '={{ null }}' }],
    ['unknown fields alone', { nickname: 'Jay', active: false }],
  ])('refuses %s without a request', async (_what, updateFields) => {
    const { id } = addJane();
    await expect(harness.fail(team('update', { teamMemberId: id, updateFields }))).resolves.toMatchObject({
      message: "'Update Fields' is empty",
    });
    expect(harness.requests()).toEqual([]);
  });

  it('never sends an unknown field', async () => {
    const { id } = addJane();
    await harness.run(
      team('update', { teamMemberId: id, updateFields: { firstName: 'Joan', active: false, admin: true } }),
    );
    expect(bodies()).toEqual([{ first_name: 'Joan' }]);
  });

  it('does not send a field without a value beside one that has one', async () => {
    const { id } = addJane();
    await harness.run(
      team('update', {
        teamMemberId: id,
        updateFields: { firstName: 'Joan', lastName: '={{ undefined }}', timeZone: '={{ null }}' },
      }),
    );
    expect(bodies()).toEqual([{ first_name: 'Joan' }]);
  });

  it('writes a number as a text', async () => {
    const { id } = addJane();
    await harness.run(team('update', { teamMemberId: id, updateFields: { firstName: '={{ 7 }}' } }));
    expect(bodies()).toEqual([{ first_name: '7' }]);
  });

  it.each([
    ['firstName', '={{ true }}', `'First Name' is not a text: true`],
    ['lastName', '={{ ["x"] }}', `'Last Name' is not a text: ["x"]`],
    ['organizationRole', '={{ {} }}', `'Organization Role' is not a text: {}`],
    ['organizationRole', '', `'Organization Role' is empty`],
    ['timeZone', '', `'Time Zone' is empty`],
    ['timeZone', 'Berlin', `'Time Zone' is not known: Berlin`],
    ['email', '={{ ["jane@example.com"] }}', `'Email' is not an email address: ["jane@example.com"]`],
  ])('refuses %s = %p by name, without a request', async (name, value, message) => {
    const { id } = addJane();
    await expect(
      harness.fail(team('update', { teamMemberId: id, updateFields: { [name]: value } })),
    ).resolves.toMatchObject({ message });
    expect(harness.requests()).toEqual([]);
  });

  it('says how a time zone is written', async () => {
    await expect(
      harness.fail(team('update', { teamMemberId: addJane().id, updateFields: { timeZone: 'Berlin' } })),
    ).resolves.toMatchObject({ description: 'Use a name such as Europe/Berlin.' });
  });

  it('does not empty a name when an agent gives an empty text', async () => {
    const { id } = addJane();
    await harness.run(
      team('update', { teamMemberId: id, updateFields: { firstName: 'Joan', lastName: '={{ "" }}' } }),
      {
        asTool: true,
      },
    );
    expect(bodies()).toEqual([{ first_name: 'Joan' }]);
  });

  it.each(['', 'nobody', 'a@b'])('refuses %p as the new address, without a request', async (email) => {
    const { id } = addJane();
    const { message } = await harness.fail(team('update', { teamMemberId: id, updateFields: { email } }));
    expect(message).toMatch(/^'Email' /);
    expect(message).toContain(email);
    expect(harness.requests()).toEqual([]);
  });
});

describe('teamMember: remove', () => {
  it('removes by ID and says so', async () => {
    const { id } = addJane();
    const items = await harness.run(team('remove', { teamMemberId: { __rl: true, mode: 'id', value: id } }));
    expect(items).toEqual([{ json: { deleted: true, id }, pairedItem: { item: 0 } }]);
    expect(harness.requests()).toEqual([`DELETE /v2/team-members/${id}`]);
    expect(bodies()).toEqual([undefined]);
    expect(harness.emulator.workspace.team.byEmail('jane@example.com')?.active).toBe(false);
  });

  it('is done when the service answers 200 without a body, too', async () => {
    harness.allowUndocumented();
    harness.emulator.fail({ with: { status: 200 } });
    const { id } = addJane();
    expect(jsons(await harness.run(team('remove', { teamMemberId: id })))).toEqual([{ deleted: true, id }]);
  });

  it('keeps the last admin, in the words of the service', async () => {
    const [admin] = harness.emulator.workspace.members;
    await expect(harness.fail(team('remove', { teamMemberId: admin?.id }))).resolves.toMatchObject({
      message: 'Cannot remove the last admin of the workspace',
      httpCode: '422',
    });
    expect(admin?.active).toBe(true);
  });

  it('is never told as done when it was refused, whatever the status of the refusal', async () => {
    const { id } = addJane();
    harness.allowUndocumented();
    harness.emulator.fail({ with: { status: 200, body: { error: 'Cannot remove the last admin of the workspace' } } });
    await expect(harness.fail(team('remove', { teamMemberId: id }))).resolves.toMatchObject({
      message: 'Cannot remove the last admin of the workspace',
    });
  });
});

describe('teamMember: removeByEmail', () => {
  it('sends the addresses to version 1 and gives the message of the service', async () => {
    addMembers(harness.emulator, 3);
    const items = await harness.run(team('removeByEmail', { emails: 'member1@example.com, member3@example.com' }));
    expect(items).toEqual([
      {
        json: {
          deleted: true,
          emails: ['member1@example.com', 'member3@example.com'],
          message: 'Team member has been removed.',
        },
        pairedItem: { item: 0 },
      },
    ]);
    expect(harness.requests()).toEqual(['DELETE /v1/team_members']);
    expect(bodies()).toEqual([{ emails: ['member1@example.com', 'member3@example.com'] }]);
    expect(harness.emulator.workspace.members.filter(({ active }) => active).map(({ email }) => email)).toEqual([
      'admin@example.com',
      'member2@example.com',
    ]);
  });

  it('takes a list from an expression', async () => {
    addMembers(harness.emulator, 2);
    await harness.run(team('removeByEmail', { emails: '={{ $json.gone }}' }), {
      items: [{ gone: ['member1@example.com', 'member2@example.com'] }],
    });
    expect(bodies()).toEqual([{ emails: ['member1@example.com', 'member2@example.com'] }]);
  });

  it.each(['', 'nobody', 'member1@example.com, nobody'])('refuses %p without a request', async (emails) => {
    addMembers(harness.emulator, 1);
    await expect(harness.fail(team('removeByEmail', { emails }))).resolves.toMatchObject({
      message: anyText(/^'Emails' /),
    });
    expect(harness.requests()).toEqual([]);
  });

  it('keeps the last admin, in the words of the service', async () => {
    await expect(harness.fail(team('removeByEmail', { emails: 'admin@example.com' }))).resolves.toMatchObject({
      message: 'Cannot remove the last admin of the workspace',
    });
  });

  it('points at the addresses, not at the workspace, when one is not found', async () => {
    const { message, description } = await harness.fail(team('removeByEmail', { emails: 'stranger@example.com' }));
    expect(message).toBe('Team member not found');
    expect(description).toBe("At least one address in 'Emails' is not an active team member.");
  });
});
