import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../http/answers.ts';
import type { Context } from '../http/context.ts';
import { requireJsonAccepted } from '../http/gate.ts';
import { bodyOf, emailsField, isEmail, queryOf, textField } from '../http/input.ts';
import { paginationOf, readPage, reportedTotal } from '../http/paging.ts';
import { sameEmail, type MemberChange } from '../store/members.ts';
import type { Member } from '../store/types.ts';

interface ById {
  Params: { memberId: string };
}

/** Lists, shows, adds, updates and removes team members (version 2). */
export function teamMemberRoutes(app: FastifyInstance, context: Context): void {
  const { workspace, quirks } = context;

  app.get('/team-members', { preHandler: requireJsonAccepted }, async (request) => {
    const query = queryOf(request);
    const members = selectMembers(query, context);
    const page = readPage(query, 'page_number', quirks);
    const rows = members.slice(page.offset, page.offset + page.size).map(listedMemberBody);
    if (quirks.noPagination) return { team_members: rows };
    const total = reportedTotal(members.length, rows.length, quirks);
    return { team_members: rows, pagination: paginationOf(page, total, quirks) };
  });

  app.get<ById>('/team-members/:memberId', { preHandler: requireJsonAccepted }, async (request) => {
    return { team_member: memberBody(findMember(request.params.memberId, context), context) };
  });

  app.post('/team-members', async (request) => {
    const body = bodyOf(request);
    const emails = emailsField(body);
    const role = readRole(textField(body, 'organization_role') ?? 'Standard', context);
    const invitedBy = readInviter(textField(body, 'invited_by'), context);
    // Everything is checked before anybody is added: all of them or none.
    const known = emails.flatMap((email) => workspace.team.byEmail(email) ?? []);
    if (role !== 'Admin') keepAnAdmin(known, context);
    for (const email of emails) {
      const member = workspace.team.byEmail(email);
      if (member) workspace.team.update(member, { active: true, organizationRole: role });
      else workspace.addMember({ email, organizationRole: role });
      if (String(body['send_invitation_email']) !== 'false') workspace.invitations.push({ email, invitedBy });
    }
    return { message: 'Users have been added successfully.' };
  });

  app.patch<ById>('/team-members/:memberId', async (request) => {
    const member = findMember(request.params.memberId, context);
    const change = readChange(bodyOf(request), member, context);
    if (change.organizationRole !== undefined && change.organizationRole !== 'Admin') keepAnAdmin([member], context);
    workspace.team.update(member, change);
    return { team_member: memberBody(member, context) };
  });

  app.delete<ById>('/team-members/:memberId', { preHandler: requireJsonAccepted }, async (request, reply) => {
    const member = findMember(request.params.memberId, context);
    keepAnAdmin([member], context);
    workspace.team.update(member, { active: false });
    return reply.code(204).send();
  });
}

/** The members that a list asks for, active or not. */
export function selectMembers(query: Record<string, string>, { workspace }: Context): Member[] {
  const email = query['email'];
  return workspace.members.filter((member) => email === undefined || sameEmail(member.email, email));
}

/** Refuses what would leave the workspace without an admin. */
export function keepAnAdmin(leaving: Member[], { workspace }: Context): void {
  if (workspace.team.wouldLoseLastAdmin(leaving)) {
    throw new ServiceError(422, 'Cannot remove the last admin of the workspace');
  }
}

/** A team member as a list shows it. */
export function listedMemberBody(member: Member): Record<string, unknown> {
  return {
    id: member.id,
    email: member.email,
    first_name: member.firstName,
    last_name: member.lastName,
    time_zone: member.timeZone,
    organization_role: member.organizationRole,
    active: member.active,
    created_at: new Date(member.createdAt).toISOString(),
    updated_at: new Date(member.updatedAt).toISOString(),
  };
}

function memberBody(member: Member, { origin }: Context): Record<string, unknown> {
  return {
    id: member.id,
    email: member.email,
    first_name: member.firstName,
    last_name: member.lastName,
    time_zone: member.timeZone,
    profile_image_url: `${origin()}/profile-images/${encodeURIComponent(member.id)}`,
    organization_role: member.organizationRole,
    active: member.active,
  };
}

function findMember(id: string, { workspace }: Context): Member {
  const member = workspace.team.active(id);
  if (!member) throw new ServiceError(404, 'Team member not found');
  return member;
}

function readRole(role: string, { workspace }: Context): string {
  if (!workspace.roles.includes(role)) throw new ServiceError(422, `Organization role ${role} does not exist`);
  return role;
}

function readInviter(email: string | undefined, { workspace }: Context): string {
  const admins = workspace.members.filter((member) => member.active && member.organizationRole === 'Admin');
  const inviter = email === undefined ? admins.at(-1) : admins.find((admin) => sameEmail(admin.email, email));
  if (!inviter) throw new ServiceError(422, 'invited_by must be an admin of the workspace');
  return inviter.email;
}

function readChange(body: Record<string, unknown>, member: Member, context: Context): MemberChange {
  const change: MemberChange = {};
  const email = textField(body, 'email');
  const firstName = textField(body, 'first_name');
  const lastName = textField(body, 'last_name');
  const timeZone = textField(body, 'time_zone');
  const role = textField(body, 'organization_role');
  if (email !== undefined) {
    if (!isEmail(email)) throw new ServiceError(422, 'Email is invalid');
    const owner = context.workspace.team.byEmail(email);
    if (owner && owner !== member) throw new ServiceError(422, 'Email has already been taken');
    change.email = email;
  }
  if (firstName !== undefined) change.firstName = firstName;
  if (lastName !== undefined) change.lastName = lastName;
  if (timeZone !== undefined) {
    if (!isTimeZone(timeZone)) throw new ServiceError(422, 'Time zone is invalid');
    change.timeZone = timeZone;
  }
  if (role !== undefined) change.organizationRole = readRole(role, context);
  return change;
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
