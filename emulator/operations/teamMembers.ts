import { ServiceError, type Context, type Operation, type OperationRequest } from '../http/operation.ts';
import { readPage, totalsOf } from '../http/paging.ts';
import type { Member } from '../store/types.ts';

/** The operations on team members, version 1 included. */
export const teamMemberOperations: Record<string, Operation> = {
  listTeamMembers(request, context) {
    const { team_members, pagination } = listMembers(request, context);
    return { team_members, pagination };
  },

  listTeamMembersV1(request, context) {
    const { team_members, total_count } = listMembers(request, context);
    return { team_members, total_count };
  },

  getTeamMember({ params }, context) {
    return { team_member: memberBody(findMember(params, context), context) };
  },

  addTeamMembers({ body }, context) {
    const { workspace } = context;
    const { emails, organization_role: role = 'Standard', send_invitation_email: isInvited } = body as NewMembers;
    checkRole(role, context);
    for (const email of emails) {
      const member = workspace.memberByEmail(email);
      if (member) workspace.updateMember(member, { active: true, organizationRole: role });
      else workspace.addMember({ email, organizationRole: role });
      if (isInvited !== 'false') workspace.invitations.push({ email });
    }
    return { message: 'Users have been added successfully.' };
  },

  updateTeamMember({ params, body }, context) {
    const { workspace } = context;
    const member = findMember(params, context);
    const { email, organization_role: role, ...change } = (body ?? {}) as MemberChange;
    if (role !== undefined) checkRole(role, context);
    workspace.updateMember(member, {
      email,
      firstName: change.first_name,
      lastName: change.last_name,
      timeZone: change.time_zone,
      organizationRole: role,
    });
    return { team_member: memberBody(member, context) };
  },

  removeTeamMember({ params }, context) {
    remove([findMember(params, context)], context);
  },

  removeTeamMembersV1({ body }, context) {
    const { emails } = body as NewMembers;
    const members = emails.map((email) =>
      findMember({ team_member_id: context.workspace.memberByEmail(email)?.id ?? '' }, context),
    );
    remove(members, context);
    return { message: 'Team member has been removed.' };
  },
};

interface NewMembers {
  emails: string[];
  organization_role?: string;
  send_invitation_email?: 'true' | 'false';
}

interface MemberChange {
  email?: string;
  first_name?: string;
  last_name?: string;
  time_zone?: string;
  organization_role?: string;
}

function listMembers({ query }: OperationRequest, { workspace, quirks }: Context) {
  const email = query['email']?.toLowerCase();
  const members = workspace.members.filter((member) => email === undefined || member.email.toLowerCase() === email);
  const page = readPage(query, 'page_number', quirks);
  const rows = members.slice(page.offset, page.offset + page.size);
  return { team_members: rows.map(listedMemberBody), ...totalsOf(page, members.length, rows.length, quirks) };
}

/** Removes members, but refuses what would leave the workspace without an admin. */
function remove(leaving: Member[], { workspace }: Context): void {
  const admins = workspace.members.filter(isActiveAdmin);
  if (leaving.some(isActiveAdmin) && admins.every((admin) => leaving.includes(admin)))
    throw new ServiceError(422, 'Cannot remove the last admin of the workspace');
  for (const member of leaving) workspace.updateMember(member, { active: false });
}

function isActiveAdmin({ active, organizationRole }: Member): boolean {
  return active && organizationRole === 'Admin';
}

function findMember({ team_member_id: id }: Record<string, string>, { workspace }: Context): Member {
  const member = workspace.members.find((each) => each.id === id && each.active);
  if (!member) throw new ServiceError(404, 'Team member not found');
  return member;
}

function checkRole(role: string, { workspace }: Context): void {
  if (!workspace.roles.includes(role)) throw new ServiceError(422, `Organization role ${role} does not exist`);
}

function listedMemberBody(member: Member): Record<string, unknown> {
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

function memberBody(member: Member, { url }: Context): Record<string, unknown> {
  const { created_at: _created, updated_at: _updated, ...body } = listedMemberBody(member);
  return { ...body, profile_image_url: `${url}/profile-images/${encodeURIComponent(member.id)}` };
}
