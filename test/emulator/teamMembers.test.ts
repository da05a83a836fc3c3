import { createClock, startEmulator, type Emulator, type Member } from '../../emulator/index.ts';
import { anyText, range, send, type Response, type ResponseBody } from './client.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const LAST_ADMIN = { status: 422, data: { error: 'Cannot remove the last admin of the workspace' } };
const NOT_FOUND = { status: 404, data: { error: 'Team member not found' } };
let emulator: Emulator;
let admin: Member;
let member: Member;
let inactive: Member;

beforeEach(async () => {
  emulator = await startEmulator({ clock: createClock(START), seed: { members: [] } });
  const { workspace } = emulator;
  admin = workspace.addMember({ email: 'ada@example.com', organizationRole: 'Admin' });
  member = workspace.addMember({ email: 'sam@example.com', firstName: 'Sam', lastName: 'Standard' });
  inactive = workspace.addMember({ email: 'ina@example.com', active: false, organizationRole: 'Editor' });
});
afterEach(() => emulator.close());

const emails = (data: ResponseBody): string[] => data.team_members.map(({ email }) => email);
const on = async (method: string, id: string, data?: unknown): Promise<Response> =>
  await send(emulator, method, `/v2/team-members/${id}`, { data });

const sam = () => ({
  id: member.id,
  email: 'sam@example.com',
  first_name: 'Sam',
  last_name: 'Standard',
  time_zone: 'UTC',
  organization_role: 'Standard',
  active: true,
});

describe('listTeamMembers', () => {
  it('lists active and inactive members with every field but the picture', async () => {
    const { data } = await send(emulator, 'GET', '/v2/team-members');
    expect(data.team_members.map(({ active }) => active)).toEqual([true, true, false]);
    const times = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
    expect(data.team_members[1]).toEqual({ ...sam(), ...times });
    expect(data.pagination).toEqual({ total_records: 3, total_pages: 1, current_page_number: 1, page_size: 3 });
    expect((await send(emulator, 'GET', '/v1/team_members')).data).toEqual({
      team_members: data.team_members,
      total_count: 3,
    });
  });

  it.each([
    ['SAM@example.com', ['sam@example.com']],
    ['ina@example.com', ['ina@example.com']],
    ['sam', []],
  ])('?email=%s lists %j', async (email, expected) => {
    for (const path of ['/v2/team-members', '/v1/team_members'])
      expect(emails((await send(emulator, 'GET', `${path}?email=${email}`)).data)).toEqual(expected);
  });

  it.each([
    ['', 130, 130, 1, 1],
    ['?page_size=10', 130, 130, 1, 1],
    ['?page_number=5', 10, 30, 5, 5],
    ['?page_number=6', 0, 30, 5, 6],
    ['?page_number=1&page_size=101', 100, 100, 2, 1],
  ])('%s lists %i of 130 (page size %i, %i pages, page %i)', async (query, length, size, pages, page) => {
    for (const number of range(127)) emulator.workspace.addMember({ email: `m${number}@example.com` });
    const { data } = await send(emulator, 'GET', `/v2/team-members${query}`);
    expect(data.team_members).toHaveLength(length);
    const pagination = { total_records: 130, total_pages: pages, current_page_number: page, page_size: size };
    expect(data.pagination).toEqual(pagination);
    expect((await send(emulator, 'GET', `/v1/team_members${query}`)).data.team_members).toEqual(data.team_members);
  });
});

it('getTeamMember shows an active member, with a picture that needs no key and without the times', async () => {
  const profile_image_url = `${emulator.url}/profile-images/${member.id}`;
  expect((await on('GET', member.id)).data).toEqual({ team_member: { ...sam(), profile_image_url } });
  const picture = await fetch(profile_image_url);
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  expect((await fetch(`${emulator.url}/profile-images/unknown`)).status).toBe(404);
});

it.each(['GET', 'PATCH', 'DELETE'])('%s of an unknown or inactive member gets 404', async (method) => {
  for (const id of ['unknown', inactive.id])
    expect(await on(method, id, method === 'PATCH' ? { first_name: 'x' } : undefined)).toMatchObject(NOT_FOUND);
});

describe('addTeamMembers', () => {
  const add = async (data: unknown): Promise<Response> => await send(emulator, 'POST', '/v2/team-members', { data });

  it('adds all addresses with the role Standard and invites them in the name of the newest admin', async () => {
    emulator.workspace.addMember({ email: 'newest@example.com', organizationRole: 'Admin' });
    const addresses = ['one@example.com', 'two@example.com'];
    expect((await add({ emails: addresses })).data).toEqual({ message: 'Users have been added successfully.' });
    expect(emulator.workspace.members.slice(-2)).toMatchObject(
      addresses.map((email) => ({ email, organizationRole: 'Standard', active: true })),
    );
    expect(emulator.workspace.invitations).toEqual(
      addresses.map((email) => ({ email, invitedBy: 'newest@example.com' })),
    );
  });

  it('send_invitation_email "false" sends no e-mail, "true" does', async () => {
    await add({ emails: ['one@example.com'], send_invitation_email: 'false' });
    expect(emulator.workspace.invitations).toEqual([]);
    await add({ emails: ['two@example.com'], send_invitation_email: 'true', invited_by: 'ada@example.com' });
    expect(emulator.workspace.invitations).toEqual([{ email: 'two@example.com', invitedBy: 'ada@example.com' }]);
  });

  it('an address that belonged to the workspace becomes active again, with the new role', async () => {
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
  ])('refuses %j and adds nobody: %s', async (data, error) => {
    expect(await add(data)).toMatchObject({ status: 422, data: { error } });
    expect(emulator.workspace.members).toHaveLength(3);
    expect(admin.organizationRole).toBe('Admin');
    expect(emulator.workspace.invitations).toEqual([]);
  });
});

describe('updateTeamMember', () => {
  it('changes what is given and leaves the rest', async () => {
    emulator.clock.advance(1000);
    const change = { last_name: '', time_zone: 'Europe/Paris' };
    expect((await on('PATCH', member.id, change)).data.team_member).toEqual({
      ...sam(),
      ...change,
      profile_image_url: anyText(),
    });
    expect(member).toMatchObject({ firstName: 'Sam', lastName: '', updatedAt: START + 1000 });
  });

  it.each([
    [{ email: 'ADA@example.com' }, 'Email has already been taken'],
    [{ time_zone: 'Mars/Olympus' }, 'Time zone is invalid'],
    [{ organization_role: 'standard' }, 'Organization role standard does not exist'],
  ])('refuses %j and changes nothing: %s', async (data, error) => {
    const response = await on('PATCH', member.id, { last_name: 'Changed', ...data });
    expect(response).toMatchObject({ status: 422, data: { error } });
    expect(member.lastName).toBe('Standard');
  });

  it('the last admin keeps the role', async () => {
    expect(await on('PATCH', admin.id, { organization_role: 'Standard' })).toMatchObject(LAST_ADMIN);
    expect((await on('PATCH', admin.id, { organization_role: 'Admin' })).status).toBe(200);
  });
});

describe('removeTeamMember', () => {
  it('deactivates the member', async () => {
    expect(await on('DELETE', member.id)).toMatchObject({ status: 204, text: '' });
    expect(emails((await send(emulator, 'GET', '/v2/team-members')).data)).toContain('sam@example.com');
    expect(await on('GET', member.id)).toMatchObject(NOT_FOUND);
  });

  it('takes a content type without a body', async () => {
    const headers = { 'Content-Type': 'application/json' };
    expect((await send(emulator, 'DELETE', `/v2/team-members/${member.id}`, { headers })).status).toBe(204);
  });

  it('removes an admin only while there is another active one', async () => {
    emulator.workspace.addMember({ email: 'old@example.com', organizationRole: 'Admin', active: false });
    expect(await on('DELETE', admin.id)).toMatchObject(LAST_ADMIN);
    emulator.workspace.addMember({ email: 'new@example.com', organizationRole: 'Admin' });
    expect((await on('DELETE', admin.id)).status).toBe(204);
  });
});

describe('removeTeamMembersV1', () => {
  const remove = async (...addresses: string[]): Promise<Response> =>
    await send(emulator, 'DELETE', '/v1/team_members', { data: { emails: addresses } });

  it('removes by address', async () => {
    expect((await remove('SAM@example.com')).data).toEqual({ message: 'Team member has been removed.' });
    expect(member.active).toBe(false);
  });

  it('removes nobody when one is the last admin, unknown or inactive', async () => {
    expect(await remove('sam@example.com', 'ada@example.com')).toMatchObject(LAST_ADMIN);
    expect(await remove('sam@example.com', 'nobody@example.com')).toMatchObject(NOT_FOUND);
    expect(await remove('sam@example.com', 'ina@example.com')).toMatchObject(NOT_FOUND);
    expect(member.active).toBe(true);
  });
});
