import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../http/answers.ts';
import type { Context } from '../http/context.ts';
import { requireJsonAccepted } from '../http/gate.ts';
import { bodyOf, emailsField, queryOf } from '../http/input.ts';
import { readPage, reportedTotal } from '../http/paging.ts';
import { keepAnAdmin, listedMemberBody, selectMembers } from './teamMembers.ts';

/** Lists and removes team members (version 1, deprecated). */
export function teamMemberV1Routes(app: FastifyInstance, context: Context): void {
  const { workspace, quirks } = context;

  app.get('/team_members', { preHandler: requireJsonAccepted }, async (request) => {
    const query = queryOf(request);
    const members = selectMembers(query, context);
    const page = readPage(query, 'page_number', quirks);
    const rows = members.slice(page.offset, page.offset + page.size).map(listedMemberBody);
    if (quirks.noPagination) return { team_members: rows };
    return { team_members: rows, total_count: reportedTotal(members.length, rows.length, quirks) };
  });

  app.delete('/team_members', { preHandler: requireJsonAccepted }, async (request) => {
    const leaving = emailsField(bodyOf(request)).map((email) => {
      const member = workspace.team.byEmail(email);
      if (!member?.active) throw new ServiceError(404, 'Team member not found');
      return member;
    });
    keepAnAdmin(leaving, context);
    for (const member of leaving) workspace.team.update(member, { active: false });
    return { message: 'Team member has been removed.' };
  });
}
