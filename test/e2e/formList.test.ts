import type { ListResults } from '../../n8n-runner/client.ts';
import { anyText, objectWith } from './support/matchers.ts';
import { type TestInstance, startTimeoutMs, startTestInstance } from './support/instance.ts';

describe('the lists to choose from, as the editor requests them', () => {
  let instance: TestInstance;
  beforeAll(async () => {
    const forms = Array.from({ length: 250 }, (_, index) => ({
      title: `Form ${String(index + 1).padStart(3, '0')}`,
      createdAt: Date.UTC(2026, 0, 1) + index * 1_000,
    }));
    instance = await startTestInstance({ forms });
  }, startTimeoutMs);
  afterAll(async () => await instance.stop());

  async function list(
    methodName: string,
    more: { nodeType?: string; filter?: string; paginationToken?: string } = {},
  ): Promise<ListResults> {
    const { nodeType = 'n8n-nodes-neetoform.neetoForm', ...rest } = more;
    return await instance.client.searchList({
      nodeType,
      methodName,
      credentials: { neetoFormApi: instance.credential },
      ...rest,
    });
  }

  it.each(['n8n-nodes-neetoform.neetoForm', 'n8n-nodes-neetoform.neetoFormTrigger'])(
    '%s offers all 250 forms, page by page, each once',
    async (nodeType) => {
      const offered: unknown[] = [];
      let paginationToken: string | undefined;
      do {
        const page = await list('searchForms', { nodeType, paginationToken });
        offered.push(...page.results.map(({ value }) => value));
        paginationToken = page.paginationToken;
      } while (paginationToken !== undefined);
      expect(new Set(offered)).toEqual(new Set(instance.emulator.workspace.forms.map(({ id }) => id)));
      expect(offered).toHaveLength(250);
    },
  );

  it('finds a form by words of its title', async () => {
    const { results } = await list('searchForms', { filter: '077 form' });
    expect(results.map(({ name }) => name)).toEqual(['Form 077']);
  });

  it('finds a team member by a part of the address', async () => {
    const [admin] = instance.emulator.workspace.members;
    const { results } = await list('searchTeamMembers', { filter: 'admin@' });
    expect(results).toEqual([objectWith({ name: anyText, value: admin?.id })]);
  });
});
