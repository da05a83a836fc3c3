import { createClock, startEmulator, type Emulator, type Member } from '../../emulator/index.ts';
import { range, send, type Response, type ResponseBody } from './client.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
let emulator: Emulator;
let admin: Member;
let member: Member;
let inactive: Member;

beforeEach(async () => {
  emulator = await startEmulator({
    clock: createClock(START),
    seed: {
      members: [
        { email: 'ada@example.com', firstName: 'Ada', lastName: 'Admin', organizationRole: 'Admin' },
        { email: 'sam@example.com', firstName: 'Sam', lastName: 'Standard', timeZone: 'Asia/Kolkata' },
        { email: 'ina@example.com', active: false, organizationRole: 'Editor' },
      ],
    },
  });
  const [first, second, third] = emulator.workspace.members;
  if (!first || !second || !third) throw new Error('The seed has three members');
  [admin, member, inactive] = [first, second, third];
});
afterEach(() => emulator.close());

const emails = (data: ResponseBody): string[] => data.team_members.map(({ email }) => email);

const single = (of: Member): Record<string, unknown> => ({
  id: of.id,
  email: of.email,
  first_name: of.firstName,
  last_name: of.lastName,
  time_zone: of.timeZone,
  profile_image_url: `${emulator.url}/profile-images/${of.id}`,
  organization_role: of.organizationRole,
  active: true,
});

describe('GET /team-members', () => {
  it('lists active and inactive members with every field but the picture', async () => {
    const { status, data } = await send(emulator, 'GET', '/v2/team-members');
    expect(status).toBe(200);
    expect(Object.keys(data)).toEqual(['team_members', 'pagination']);
    expect(data.team_members.map(({ active }) => active)).toEqual([true, true, false]);
    expect(data.team_members[1]).toEqual({
      id: member.id,
      email: 'sam@example.com',
      first_name: 'Sam',
      last_name: 'Standard',
      time_zone: 'Asia/Kolkata',
      organization_role: 'Standard',
      active: true,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    });
    expect(data.pagination).toEqual({ total_records: 3, total_pages: 1, current_page_number: 1, page_size: 3 });
  });

  it.each([
    ['?email=sam@example.com', ['sam@example.com']],
    ['?email=SAM@example.com', ['sam@example.com']],
    ['?email=ina@example.com', ['ina@example.com']],
    ['?email=sam', []],
  ])('%s lists %j', async (query, expected) => {
    expect(emails((await send(emulator, 'GET', `/v2/team-members${query}`)).data)).toEqual(expected);
  });

  describe('by page', () => {
    beforeEach(() => {
      for (const number of range(127)) emulator.workspace.addMember({ email: `m${number}@example.com` });
    });

    it.each([
      ['', 130, 130, 1, 1],
      ['?page_number=1', 30, 30, 5, 1],
      ['?page_number=5', 10, 30, 5, 5],
      ['?page_number=6', 0, 30, 5, 6],
      ['?page_number=2&page_size=100', 30, 100, 2, 2],
      ['?page_number=1&page_size=101', 100, 100, 2, 1],
    ])('%s lists %i of 130 (page size %i, %i pages, page %i)', async (query, length, size, pages, page) => {
      const { data } = await send(emulator, 'GET', `/v2/team-members${query}`);
      expect(data.team_members).toHaveLength(length);
      expect(data.pagination).toEqual({
        total_records: 130,
        total_pages: pages,
        current_page_number: page,
        page_size: size,
      });
    });
  });
});

describe('GET /team-members/{team_member_id}', () => {
  it('shows an active member, with the picture and without the times', async () => {
    const { status, data } = await send(emulator, 'GET', `/v2/team-members/${member.id}`);
    expect(status).toBe(200);
    expect(data).toEqual({ team_member: single(member) });
  });

  it('the picture can be fetched without the key', async () => {
    const { data } = await send(emulator, 'GET', `/v2/team-members/${member.id}`);
    const picture = await fetch(data.team_member.profile_image_url);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect((await fetch(`${emulator.url}/profile-images/unknown`)).status).toBe(404);
  });

  it.each(['unknown', 'inactive'])('an %s member gets 404 with the documented message', async (which) => {
    const answer = await send(emulator, 'GET', `/v2/team-members/${which === 'inactive' ? inactive.id : which}`);
    expect(answer.status).toBe(404);
    expect(answer.data).toEqual({ error: 'Team member not found' });
  });
});

describe('POST /team-members', () => {
  const add = async (data: unknown): Promise<Response> => await send(emulator, 'POST', '/v2/team-members', { data });

  it('adds all addresses with the role Standard and invites them in the name of the newest admin', async () => {
    emulator.workspace.addMember({ email: 'newest@example.com', organizationRole: 'Admin' });
    const answer = await add({ emails: ['one@example.com', 'two@example.com'] });
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({ message: 'Users have been added successfully.' });
    expect(emulator.workspace.members.slice(-2)).toMatchObject([
      { email: 'one@example.com', organizationRole: 'Standard', active: true },
      { email: 'two@example.com', organizationRole: 'Standard', active: true },
    ]);
    expect(emulator.workspace.invitations).toEqual([
      { email: 'one@example.com', invitedBy: 'newest@example.com' },
      { email: 'two@example.com', invitedBy: 'newest@example.com' },
    ]);
  });

  it('send_invitation_email "false" sends no e-mail, "true" does', async () => {
    await add({ emails: ['one@example.com'], send_invitation_email: 'false' });
    expect(emulator.workspace.invitations).toEqual([]);
    await add({ emails: ['two@example.com'], send_invitation_email: 'true', invited_by: 'ada@example.com' });
    expect(emulator.workspace.invitations).toEqual([{ email: 'two@example.com', invitedBy: 'ada@example.com' }]);
  });

  it('an address that belonged to the workspace is reactivated and its role overwritten', async () => {
    await add({ emails: ['INA@example.com'], organization_role: 'Reviewer' });
    expect(emulator.workspace.members).toHaveLength(3);
    expect(inactive).toMatchObject({ email: 'ina@example.com', active: true, organizationRole: 'Reviewer' });
  });

  it.each([
    [{}, "Emails can't be blank"],
    [{ emails: ['one@example.com', 'nonsense'] }, 'emails.1 must match format "email"'],
    [{ emails: ['one@example.com'], organization_role: 'admin' }, 'Organization role admin does not exist'],
    [{ emails: ['one@example.com'], invited_by: 'sam@example.com' }, 'invited_by must be an admin of the workspace'],
    [{ emails: ['one@example.com', 'ada@example.com'] }, 'Cannot remove the last admin of the workspace'],
  ])('%j is refused, and nobody is added: %s', async (data, error) => {
    const answer = await add(data);
    expect(answer.status).toBe(422);
    expect(answer.data).toEqual({ error });
    expect(emulator.workspace.members).toHaveLength(3);
    expect(admin.organizationRole).toBe('Admin');
    expect(emulator.workspace.invitations).toEqual([]);
  });
});

describe('PATCH /team-members/{team_member_id}', () => {
  const update = async (data: unknown, id = member.id): Promise<Response> =>
    await send(emulator, 'PATCH', `/v2/team-members/${id}`, { data });

  it('changes what is given and leaves the rest', async () => {
    emulator.clock.advance(1000);
    const answer = await update({ first_name: 'Samuel', time_zone: 'Europe/Paris' });
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({
      team_member: { ...single(member), first_name: 'Samuel', time_zone: 'Europe/Paris' },
    });
    expect(member).toMatchObject({ firstName: 'Samuel', lastName: 'Standard', updatedAt: START + 1000 });
  });

  it('changes everything that can be changed', async () => {
    const fields = {
      email: 's@example.com',
      first_name: 'S',
      last_name: 'T',
      time_zone: 'UTC',
      organization_role: 'Editor',
    };
    expect((await update(fields)).data.team_member).toMatchObject(fields);
  });

  it.each(['unknown', 'inactive'])('an %s member gets 404 with the documented message', async (which) => {
    const answer = await update({ first_name: 'x' }, which === 'inactive' ? inactive.id : which);
    expect(answer.status).toBe(404);
    expect(answer.data).toEqual({ error: 'Team member not found' });
  });

  it.each([
    [{ email: 'ADA@example.com' }, 'Email has already been taken'],
    [{ time_zone: 'Mars/Olympus' }, 'Time zone is invalid'],
    [{ organization_role: 'standard' }, 'Organization role standard does not exist'],
  ])('%j is refused, and nothing changes: %s', async (data, error) => {
    const answer = await update({ last_name: 'Changed', ...data });
    expect(answer.status).toBe(422);
    expect(answer.data).toEqual({ error });
    expect(member.lastName).toBe('Standard');
  });

  it('the last admin keeps the role', async () => {
    const answer = await update({ organization_role: 'Standard' }, admin.id);
    expect(answer.status).toBe(422);
    expect(answer.data).toEqual({ error: 'Cannot remove the last admin of the workspace' });
    expect((await update({ organization_role: 'Admin' }, admin.id)).status).toBe(200);
  });
});

describe('DELETE /team-members/{team_member_id}', () => {
  const remove = async (id: string, headers = {}): Promise<Response> =>
    await send(emulator, 'DELETE', `/v2/team-members/${id}`, { headers });

  it('deactivates the member and gets 204 without a body', async () => {
    const answer = await remove(member.id);
    expect(answer.status).toBe(204);
    expect(answer.data).toBe('');
    expect(emails((await send(emulator, 'GET', '/v2/team-members')).data)).toContain('sam@example.com');
    expect((await send(emulator, 'GET', `/v2/team-members/${member.id}`)).status).toBe(404);
  });

  it('takes a content type without a body', async () => {
    expect((await remove(member.id, { 'Content-Type': 'application/json' })).status).toBe(204);
  });

  it('a member that is unknown or removed already gets 404 with the documented message', async () => {
    await remove(member.id);
    for (const id of ['unknown', inactive.id, member.id]) {
      const answer = await remove(id);
      expect(answer.status).toBe(404);
      expect(answer.data).toEqual({ error: 'Team member not found' });
    }
  });

  it('the last admin cannot be removed, with the documented message', async () => {
    const answer = await remove(admin.id);
    expect(answer.status).toBe(422);
    expect(answer.data).toEqual({ error: 'Cannot remove the last admin of the workspace' });
    expect(admin.active).toBe(true);
  });

  it('an admin can be removed while there is another active one', async () => {
    emulator.workspace.addMember({ email: 'old@example.com', organizationRole: 'Admin', active: false });
    expect((await remove(admin.id)).status).toBe(422);
    emulator.workspace.addMember({ email: 'new@example.com', organizationRole: 'Admin' });
    expect((await remove(admin.id)).status).toBe(204);
  });
});

describe('version 1', () => {
  const remove = async (data: unknown): Promise<Response> =>
    await send(emulator, 'DELETE', '/v1/team_members', { data });

  it('GET /team_members lists the same members, with total_count and without a pagination object', async () => {
    const { data: first } = await send(emulator, 'GET', '/v1/team_members');
    const { data: second } = await send(emulator, 'GET', '/v2/team-members');
    expect(first).toEqual({ team_members: second.team_members, total_count: 3 });
  });

  it('GET /team_members?page_number=2&page_size=2 lists the second page', async () => {
    const { data } = await send(emulator, 'GET', '/v1/team_members?page_number=2&page_size=2');
    expect(emails(data)).toEqual(['ina@example.com']);
    expect(data.total_count).toBe(3);
  });

  it('DELETE /team_members removes by address and gets with a message', async () => {
    const answer = await remove({ emails: ['SAM@example.com'] });
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({ message: 'Team member has been removed.' });
    expect(member.active).toBe(false);
  });

  it('DELETE /team_members refuses to remove the last admin, and removes nobody', async () => {
    const answer = await remove({ emails: ['sam@example.com', 'ada@example.com'] });
    expect(answer.status).toBe(422);
    expect(answer.data).toEqual({ error: 'Cannot remove the last admin of the workspace' });
    expect(member.active).toBe(true);
  });

  it.each([
    [404, { emails: ['sam@example.com', 'nobody@example.com'] }, 'Team member not found'],
    [404, { emails: ['ina@example.com'] }, 'Team member not found'],
  ])('DELETE /team_members gets %i to %j', async (status, data, error) => {
    const answer = await remove(data);
    expect(answer.status).toBe(status);
    expect(answer.data).toEqual({ error });
    expect(member.active).toBe(true);
  });
});
