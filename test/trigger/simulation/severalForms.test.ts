import * as fc from 'fast-check';
import { clearLog } from '../../support/engine';
import { account, createWorld, EACH_ONCE, MINUTE, SECOND, type World } from '../world';
import { RUNS, SEED, timeFor } from './property';

const LATEST = 10 * MINUTE;

type Step =
  | { do: 'insert'; form: number; count: number; lateMs: number }
  | { do: 'poll'; broken: number[]; dies: boolean; isOverlapped: boolean }
  | { do: 'restart' }
  | { do: 'add a form' }
  | { do: 'archive'; form: number; isArchived: boolean };

const form = fc.nat({ max: 5 });

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('insert' as const),
      form,
      count: fc.integer({ min: 1, max: 130 }),
      lateMs: fc.constantFrom(0, 0, 0, 30 * SECOND, LATEST),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('poll' as const),
      broken: fc.array(form, { maxLength: 3 }),
      dies: fc.boolean(),
      isOverlapped: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'restart' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'add a form' }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('archive' as const), form, isArchived: fc.boolean() }) },
);

const lives = fc.record({
  watch: fc.constantFrom('several' as const, 'active' as const),
  scheduler: fc.constantFrom('memory' as const, 'durable' as const),
  maxSubmissions: fc.constantFrom(1_000, 150, 20),
  steps: fc.array(step, { maxLength: 25 }),
});

type Life = typeof lives extends fc.Arbitrary<infer T> ? T : never;

/** Three forms, of which some cannot be read for a while, and n8n dies before it has stored what a poll gave. */
async function live({ watch, scheduler, maxSubmissions, steps }: Life): Promise<void> {
  const chosen = { watch, formIds: [] as string[] };
  const world = await createWorld({ transport: 'inject', scheduler, options: { maxSubmissions }, parameters: chosen });
  try {
    const { workspace } = world.emulator;
    const forms = [world.formId, workspace.addForm({ title: 'Second' }).id, workspace.addForm({ title: 'Third' }).id];
    const pick = (place: number) => forms[place % forms.length] ?? '';
    const given: string[] = [];
    const owed: string[] = [];
    if (watch === 'several') chosen.formIds = [...forms];
    world.poller.setParameters(world.parameters());
    for (const each of forms) workspace.addSubmission(each);
    await world.activate();
    world.advance(MINUTE);
    for (const each of steps) {
      if (each.do === 'insert') {
        for (let count = 0; count < each.count; count++)
          owed.push(
            workspace.addSubmission(pick(each.form), { createdAt: world.now, visibleAt: world.now + each.lateMs }).id,
          );
      } else if (each.do === 'poll')
        given.push(
          ...(await pollOnce(
            world,
            { ...each, isOverlapped: each.isOverlapped && scheduler === 'memory' },
            each.broken.map(pick),
          )),
        );
      else if (each.do === 'restart') given.push(...((await world.restart())?.ids ?? []));
      // Only the forms that were picked are watched.
      else if (each.do === 'add a form' && watch === 'active') forms.push(workspace.addForm({ title: 'New' }).id);
      else if (each.do === 'archive' && watch === 'active')
        workspace.updateForm(pick(each.form), { isArchived: each.isArchived });
      world.advance(MINUTE);
    }
    for (const each of forms) workspace.updateForm(each, { isArchived: false });
    world.advance(LATEST);
    given.push(...(await world.drain()).flatMap(({ ids }) => ids ?? []));
    expect(account(given, owed)).toEqual(EACH_ONCE);
  } finally {
    await world.close();
  }
}

/** @returns what reached an execution */
async function pollOnce(
  world: World,
  { dies, isOverlapped }: Extract<Step, { do: 'poll' }>,
  broken: string[],
): Promise<string[]> {
  const before = world.poller.savedStaticData;
  const mend = world.emulator.fail({
    when: { match: ({ path }) => broken.some((id) => path.includes(id)), every: 1 },
    with: { status: 404, body: { error: 'Form does not exist.' } },
  });
  const outcomes = isOverlapped ? await Promise.all([world.poll(), world.poll()]) : [await world.poll()];
  mend();
  if (!dies) return outcomes.flatMap(({ ids }) => ids ?? []);
  world.rise(before);
  return (await world.restart())?.ids ?? [];
}

const runs = Math.ceil(RUNS / 20);

it(
  `delivers each submission of several forms once through ${runs} schedules of trouble (seed ${SEED})`,
  async () => {
    await fc.assert(
      fc.asyncProperty(lives, async (life) => {
        clearLog();
        await live(life);
      }),
      { numRuns: runs, seed: SEED },
    );
  },
  timeFor(runs),
);
