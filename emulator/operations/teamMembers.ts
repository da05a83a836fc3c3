import { pageOf, refusal, toWire, type Context, type Operation, type OperationRequest } from '../http/operation.ts';
import type { Member } from '../store/types.ts';

export const teamMemberOperations: Record<string, Operation> = {
  listTeamMembers: (request, context) => listMembers(request, context, 'pagination'),

  listTeamMembersV1: (request, context) => listMembers(request, context, 'total_count'),

  getTeamMember({ params }, context) {
    return memberBody(findMember(params['team_member_id'], context), context);
  },

  addTeamMembers({ body }, { workspace }) {
    const { emails, organization_role: organizationRole = 'Standard', send_invitation_email } = body as NewMembers;
    for (const email of emails) {
      const member = workspace.memberByEmail(email);
      if (member) workspace.updateMember(member, { active: true, organizationRole });
      else workspace.addMember({ email, organizationRole });
      if (send_invitation_email !== 'false') workspace.invitations.push({ email });
    }
    return { message: 'Users have been added successfully.' };
  },

  updateTeamMember({ params, body }, context) {
    const member = findMember(params['team_member_id'], context);
    const change = Object.entries(body ?? {}).map(([name, value]: [string, unknown]) => [
      name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]);
    context.workspace.updateMember(member, Object.fromEntries(change) as Partial<Member>);
    return memberBody(member, context);
  },

  removeTeamMember({ params }, context) {
    remove([findMember(params['team_member_id'], context)], context);
  },

  removeTeamMembersV1({ body }, context) {
    const { emails } = body as NewMembers;
    const leaving = emails.map((email) => findMember(context.workspace.memberByEmail(email)?.id, context));
    remove(leaving, context);
    return { message: 'Team member has been removed.' };
  },
};

interface NewMembers {
  emails: string[];
  organization_role?: string;
  send_invitation_email?: 'true' | 'false';
}

/** Version 1 of the API shows only `total_count`. */
function listMembers({ query }: OperationRequest, context: Context, shown: 'pagination' | 'total_count') {
  const email = query.email?.toLowerCase();
  const members = context.workspace.members.filter((member) => [undefined, member.email.toLowerCase()].includes(email));
  const { rows, totals } = pageOf(members, query.page_number, query.page_size, context);
  return { team_members: rows.map(toWire), [shown]: totals[shown] };
}

function remove(leaving: Member[], { workspace }: Context): void {
  const admins = workspace.members.filter(({ active, organizationRole }) => active && organizationRole === 'Admin');
  if (admins.every((admin) => leaving.includes(admin)))
    throw refusal(422, 'Cannot remove the last admin of the workspace');
  for (const member of leaving) workspace.updateMember(member, { active: false });
}

function findMember(id: string | undefined, { workspace }: Context): Member {
  const member = workspace.members.find((each) => each.id === id && each.active);
  if (!member) throw refusal(404, 'Team member not found');
  return member;
}

function memberBody({ createdAt: _created, updatedAt: _updated, ...member }: Member, { url }: Context) {
  const profile_image_url = `${url}/profile-images/${encodeURIComponent(member.id)}`;
  return { team_member: { ...toWire(member), profile_image_url } };
}
