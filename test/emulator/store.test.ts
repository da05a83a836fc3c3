import fc from 'fast-check';
import {
  sampleWorkspace,
  createClock,
  startEmulator,
  type Emulator,
  type WorkspaceSeed,
} from '../../emulator/index.ts';
import { range } from './client.ts';

const NOW = 1_000_000;

const quiet = async (seed: WorkspaceSeed = {}): Promise<Emulator> =>
  await startEmulator({ listen: false, clock: createClock(NOW), seed });

const time = fc.integer({ min: 0, max: 20 });
const add = fc.record({
  kind: fc.constant('add' as const),
  createdAt: time,
  micros: fc.integer({ min: 0, max: 3 }),
  hidden: fc.boolean(),
});
const history = fc.record({
  kind: fc.constant('history' as const),
  from: time,
  everyMs: fc.integer({ min: 0, max: 3 }),
  count: fc.integer({ min: 0, max: 8 }),
});
const change = fc.record({ kind: fc.constantFrom('delete' as const, 'restore' as const), pick: fc.nat(100) });
const query = fc.record({
  kind: fc.constant('query' as const),
  after: fc.option(fc.integer({ min: 0, max: 22_000 }), { nil: undefined }),
  order: fc.constantFrom('asc' as const, 'desc' as const),
  offset: fc.nat(30),
  limit: fc.integer({ min: 1, max: 10 }),
});
const steps = fc.array(fc.oneof(add, add, history, change, query, query), { maxLength: 40 });

describe('the store', () => {
  it('selects what a plain sorted list would', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (drawn) => {
        const { workspace } = await quiet();
        const { id: formId } = workspace.addForm({ title: 'x' });
        let live: Array<{ id: string; micros: number; hidden: boolean }> = [];
        const computed: typeof live = [];
        let gone: typeof live = [];
        for (const each of drawn) {
          if (each.kind === 'add') {
            const visibleAt = each.hidden ? NOW + 1 : undefined;
            const { id, micros } = workspace.addSubmission(formId, {
              createdAt: each.createdAt,
              micros: each.micros,
              visibleAt,
            });
            live.push({ id, micros, hidden: each.hidden });
          } else if (each.kind === 'history') {
            const known = new Set(workspace.submissions(formId).map(({ id }) => id));
            workspace.addHistory(formId, each);
            for (const { id, micros } of workspace.submissions(formId))
              if (!known.has(id)) computed.push({ id, micros, hidden: false });
          } else if (each.kind === 'query') {
            const { rows, total } = workspace.selectSubmissions(formId, each);
            const matching = [...live, ...computed]
              .filter(({ micros, hidden }) => !hidden && micros >= (each.after ?? 0))
              .map(({ micros }) => micros);
            matching.sort((one, other) => (each.order === 'asc' ? one - other : other - one));
            expect(total).toBe(matching.length);
            expect(rows.map(({ micros }) => micros)).toEqual(matching.slice(each.offset, each.offset + each.limit));
          } else {
            const from = each.kind === 'delete' ? live : gone;
            const row = from[each.pick % Math.max(1, from.length)];
            if (!row) continue;
            if (each.kind === 'delete') {
              expect(workspace.deleteSubmission(formId, row.id)).toBe(true);
              live = live.filter((other) => other !== row);
              gone.push(row);
            } else {
              expect(workspace.restoreSubmission(formId, row.id)).toBe(true);
              gone = gone.filter((other) => other !== row);
              live.push(row);
            }
          }
        }
        const everything = workspace
          .submissions(formId)
          .map(({ id }) => id)
          .sort();
        const all = [...live, ...computed];
        expect(everything).toEqual(all.map(({ id }) => id).sort());
        const visible = all.filter(({ hidden }) => !hidden).length;
        expect(workspace.countSubmissions(formId)).toBe(visible);
        const pages = range(Math.ceil(visible / 3)).flatMap((page) =>
          workspace.selectSubmissions(formId, { order: 'asc', offset: page * 3, limit: 3 }).rows.map(({ id }) => id),
        );
        expect(new Set(pages).size).toBe(visible);
      }),
      { numRuns: 150 },
    );
  });
});

describe('determinism', () => {
  const everything = async (seed: WorkspaceSeed): Promise<unknown> => {
    const { workspace } = await quiet(seed);
    const form = workspace.addForm({ title: 'added' });
    workspace.addHistory(form.id, { count: 3, from: 0, everyMs: 1 });
    workspace.addSubmission(form.id);
    return [
      workspace.forms,
      workspace.members,
      workspace.forms.map(({ id }) => workspace.submissions(id)),
      [...workspace.files],
    ];
  };

  it('the same seed leads to the same ids', async () => {
    expect(await everything(sampleWorkspace())).toEqual(await everything(sampleWorkspace()));
  });
});
