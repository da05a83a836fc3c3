import type { ListResults } from '../../n8n-runner/client.ts';
import { textLike } from './support/like.ts';
import { type WholeN8n, startTimeoutMs, startWholeN8n } from './support/wholeN8n.ts';

describe("the lists to pick from, as the editor's endpoint gives them", () => {
  let whole: WholeN8n;
  beforeAll(async () => {
    const forms = Array.from({ length: 250 }, (_, index) => ({
      title: `Form ${String(index + 1).padStart(3, '0')}`,
      createdAt: Date.UTC(2026, 0, 1) + index * 1_000,
    }));
    whole = await startWholeN8n({ forms });
  }, startTimeoutMs);
  afterAll(async () => await whole.stop());

  async function list(
    methodName: string,
    more: { nodeType?: string; filter?: string; paginationToken?: string } = {},
  ): Promise<ListResults> {
    const { nodeType = 'n8n-nodes-neetoform.neetoForm', ...rest } = more;
    return await whole.client.searchList({
      nodeType,
      methodName,
      credentials: { neetoFormApi: whole.credential },
      ...rest,
    });
  }

  it.each(['n8n-nodes-neetoform.neetoForm', 'n8n-nodes-neetoform.neetoFormTrigger'])(
    '%s offers all 250 forms, part by part, each once',
    async (nodeType) => {
      const offered: unknown[] = [];
      let paginationToken: string | undefined;
      do {
        const part = await list('searchForms', { nodeType, paginationToken });
        offered.push(...part.results.map(({ value }) => value));
        paginationToken = part.paginationToken;
      } while (paginationToken !== undefined);
      expect(new Set(offered)).toEqual(new Set(whole.emulator.workspace.forms.map(({ id }) => id)));
      expect(offered).toHaveLength(250);
    },
  );

  it('finds a form by words of its title', async () => {
    const { results } = await list('searchForms', { filter: '077 form' });
    expect(results.map(({ name }) => name)).toEqual([textLike(/^Form 077 \(/)]);
  });

  it('finds a team member by a part of the address', async () => {
    const [admin] = whole.emulator.workspace.members;
    const { results } = await list('searchTeamMembers', { filter: 'admin@' });
    expect(results).toEqual([{ name: textLike(/admin@example\.com/), value: admin?.id }]);
  });
});
