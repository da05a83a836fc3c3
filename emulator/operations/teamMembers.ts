import {
  fromWire,
  readPage,
  ServiceError,
  totalsOf,
  toWire,
  type Context,
  type Operation,
  type OperationRequest,
} from '../http/operation.ts';
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
    const change = fromWire(body ?? {}) as Partial<Member>;
    if (change.organizationRole !== undefined) checkRole(change.organizationRole, context);
    workspace.updateMember(member, change);
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

function listMembers({ query }: OperationRequest, context: Context) {
  const email = query['email']?.toLowerCase();
  const members = context.workspace.members.filter(
    (member) => email === undefined || member.email.toLowerCase() === email,
  );
  const page = readPage(query, 'page_number', context);
  const rows = members.slice(page.offset, page.offset + page.size);
  return { team_members: rows.map(toWire), ...totalsOf(page, members.length) };
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

function memberBody({ createdAt: _created, updatedAt: _updated, ...member }: Member, { url }: Context) {
  return { ...toWire(member), profile_image_url: `${url}/profile-images/${encodeURIComponent(member.id)}` };
}
