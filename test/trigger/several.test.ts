import type { INodeParameters } from 'n8n-workflow';
import type { FaultEffect } from '../../emulator/index.ts';
import {
  account,
  causeOf,
  createWorld,
  EACH_ONCE,
  HOUR,
  MINUTE,
  SECOND,
  START,
  type PollOutcome,
  type World,
  type WorldOptions,
} from './world';

const DOWN: FaultEffect = { status: 503, body: { error: 'Down for maintenance' } };
const GONE: FaultEffect = { status: 404, body: { error: 'Form does not exist.' } };

let world: World;
/** The forms of the workspace, oldest first; the first one is the world's own. */
let forms: string[];
/** What the user chose, for this process of n8n and the next. */
let chosen: INodeParameters;

interface Setting extends WorldOptions {
  watch?: 'several' | 'active';
  count?: number;
}

async function begin({ watch = 'several', count = 3, ...options }: Setting = {}): Promise<void> {
  chosen = { watch, formIds: [] };
  world = await createWorld({ transport: 'inject', output: 'simplified', parameters: chosen, ...options });
  forms = [world.formId, ...Array.from({ length: count - 1 }, addForm)];
  if (watch === 'several') choose(forms);
}

afterEach(async () => await world.close());

function addForm(): string {
  return world.emulator.workspace.addForm({ title: 'Another' }).id;
}

/** The user edits the workflow and publishes it. */
function choose(formIds: string[] | string, watch = 'several'): void {
  Object.assign(chosen, { watch, formIds });
  world.poller.setParameters(world.parameters());
}

/** A submission of the nth form. */
function submit(nth: number): string {
  return world.emulator.workspace.addSubmission(forms[nth] ?? '').id;
}

async function pollNextMinute(): Promise<PollOutcome> {
  world.advance(MINUTE);
  return await world.poll();
}

/** Makes every request for one form fail. */
function breakForm(nth: number, effect: FaultEffect): () => void {
  return world.emulator.fail({ when: { path: new RegExp(forms[nth] ?? ''), every: 1 }, with: effect });
}

const paths = ({ requests }: PollOutcome) => requests.map(({ path }) => path.replace('/api/external/v2/', ''));

describe.each(['several', 'active'] as const)('watching %s forms', (watch) => {
  it.each(['memory', 'durable'] as const)(
    'hands out nothing of the past, and each new submission once, with its form (%s)',
    async (scheduler) => {
      await begin({ watch, scheduler });
      const past = [submit(0), submit(1)];
      await world.activate();
      const ids = [submit(2), submit(0), submit(2)];
      const { items } = await pollNextMinute();
      expect(items.map(({ id, form_id: form }) => [id, form]).sort()).toEqual(
        [
          [ids[0], forms[2]],
          [ids[1], forms[0]],
          [ids[2], forms[2]],
        ].sort(),
      );
      const later = submit(1);
      expect((await pollNextMinute()).ids).toEqual([later]);
      expect((await pollNextMinute()).ids).toBeNull();
      expect(world.delivered).not.toEqual(expect.arrayContaining(past));
    },
  );

  it('asks once for each form when there is nothing new, with four requests under way at most', async () => {
    await begin({ watch, transport: 'http', count: 30 });
    await world.activate();
    await pollNextMinute();
    const stop = world.emulator.fail({ when: { every: 1 }, with: { delayMs: 5 } });
    world.emulator.inFlight.max = 0;
    const idle = await pollNextMinute();
    stop();
    expect(paths(idle).sort()).toEqual(
      [...(watch === 'active' ? ['forms'] : []), ...forms.map((id) => `forms/${id}/submissions`)].sort(),
    );
    expect(world.emulator.inFlight.max).toBe(4);
  });

  it('goes one form at a time once the service says that it is too much', async () => {
    await begin({ watch, transport: 'http', count: 12 });
    await world.activate();
    world.emulator.fail({
      when: { path: /submissions/, nth: 1 },
      with: { status: 429, headers: { 'retry-after': '0' } },
    });
    world.emulator.fail({ when: { path: /submissions/, every: 1 }, with: { delayMs: 5 } });
    const underWay: number[] = [];
    world.emulator.onRequest(() => {
      underWay.push(world.emulator.inFlight.now);
    });
    expect((await pollNextMinute()).error).toBeUndefined();
    expect(Math.max(...underWay.slice(-6))).toBeLessThanOrEqual(1);
  });

  it('is not stopped by one form that cannot be read, which is told once and loses nothing', async () => {
    await begin({ watch });
    await world.activate();
    const mend = breakForm(1, DOWN);
    const missed = submit(1);
    const others = [submit(0), submit(2)];
    const outcome = await pollNextMinute();
    expect(outcome.error).toBeUndefined();
    expect(account(outcome.ids ?? [], others)).toEqual(EACH_ONCE);
    expect(world.poller.reported.map(({ message }) => message)).toEqual([
      `1 of 3 forms could not be read: ${forms[1]} (Down for maintenance (after 5 attempts))`,
    ]);
    await pollNextMinute();
    expect(world.poller.reported).toHaveLength(1);
    world.advance(HOUR);
    await world.poll();
    expect(world.poller.reported).toHaveLength(2);
    mend();
    expect((await pollNextMinute()).ids).toEqual([missed]);
    breakForm(1, DOWN);
    await pollNextMinute();
    expect(world.poller.reported).toHaveLength(3);
  });

  it('fails as a whole, and keeps its place, when no form can be read', async () => {
    await begin({ watch });
    await world.activate();
    await pollNextMinute();
    const ids = [submit(0), submit(1), submit(2)];
    const mend = world.emulator.fail({ when: { every: 1 }, with: DOWN });
    const outcome = await pollNextMinute();
    expect(outcome.error?.message).toContain('Down for maintenance');
    expect(causeOf(outcome.error)).toBe('temporarily-unavailable');
    expect(outcome.staticData).toEqual(outcome.staticDataBefore);
    expect(world.poller.reported).toEqual([]);
    mend();
    expect(account((await pollNextMinute()).ids ?? [], ids)).toEqual(EACH_ONCE);
  });

  it('comes up with n8n although a form is gone and the service is in trouble', async () => {
    await begin({ watch });
    await world.activate();
    submit(0);
    await pollNextMinute();
    const missed = [submit(0), submit(2)];
    breakForm(1, GONE);
    const mend = world.emulator.fail({
      when: { match: ({ path }) => !path.includes(forms[1] ?? ''), every: 1 },
      with: DOWN,
    });
    const outcome = await world.restart();
    expect(outcome?.error).toBeUndefined();
    mend();
    expect(account((await pollNextMinute()).ids ?? [], missed)).toEqual(EACH_ONCE);
  });

  it('does nothing in a second poll while the first one runs', async () => {
    await begin({ watch });
    await world.activate();
    world.advance(MINUTE);
    const id = submit(1);
    const [first, second] = await Promise.all([world.poll(), world.poll()]);
    expect([first.ids, second.ids]).toEqual([[id], null]);
  });

  it('hands out no more than Max Submissions in one poll, and leaves no form waiting for ever', async () => {
    await begin({ watch, options: { maxSubmissions: 50 } });
    await world.activate();
    const ids = Array.from({ length: 200 }, () => submit(0));
    ids.push(submit(1), submit(2));
    const first = [await pollNextMinute(), await pollNextMinute(), await pollNextMinute()];
    expect(first.map((outcome) => outcome.ids?.length)).toEqual([50, 50, 50]);
    expect(world.delivered).toEqual(expect.arrayContaining(ids.slice(-2)));
    await world.drain();
    expect(account(world.delivered, ids)).toEqual(EACH_ONCE);
  });

  it('reads in the next polls what one has no time for', async () => {
    await begin({ watch, count: 24 });
    await world.activate();
    world.emulator.onRequest(() => world.advance(2.5 * SECOND));
    const ids = forms.map((_, nth) => submit(nth));
    for (let minute = 0; minute < 12; minute++)
      expect((await pollNextMinute()).elapsedMs).toBeLessThanOrEqual(46 * SECOND);
    expect(account(world.delivered, ids)).toEqual(EACH_ONCE);
  });

  it('shows the newest submission of them all in a manual test, and changes nothing', async () => {
    await begin({ watch });
    await expect(world.poll({ mode: 'manual' })).resolves.toMatchObject({
      error: { message: 'None of these forms has a submission yet' },
    });
    submit(2);
    world.advance(SECOND);
    const newest = submit(0);
    world.advance(SECOND);
    const { ids, staticData } = await world.poll({ mode: 'manual' });
    expect(ids).toEqual([newest]);
    expect(JSON.stringify(staticData)).not.toContain('cursor');
  });

  it.each(['raw', 'row'])('says the form of each item in %s output too', async (output) => {
    await begin({ watch, output });
    await world.activate();
    world.emulator.workspace.addSubmission(forms[1] ?? '', {
      responses: [{ id: 'r', label: 'form_id', position: 1, kind: 'text', slug: 'q', value: 'mine' }],
    });
    const [items = []] = (await world.poller.poll()) ?? [];
    expect(items[0]?.json).toMatchObject(
      output === 'raw' ? { form_id: forms[1] } : { form_id: forms[1], 'form_id (2)': 'mine' },
    );
  });
});

describe('watching several forms', () => {
  it('does not activate with a form that does not exist, and keeps nothing then', async () => {
    await begin();
    choose([...forms, 'no-such-form']);
    const { error, staticData } = await world.activate();
    expect(error?.message).toContain("'Form' is no-such-form");
    expect(JSON.stringify(staticData)).not.toContain('cursor');
  });

  it.each([
    [[], "'Form Names or IDs' is empty"],
    ['', "'Form Names or IDs' is empty"],
    [['..'], "'Form Names or IDs' is not an ID"],
    ['https://acme.neetoform.com/x', "'Form Names or IDs' is an address from which no ID can be read"],
  ])('refuses %j before a request', async (formIds, message) => {
    await begin();
    choose(formIds);
    const { error, requests } = await world.activate();
    expect(error?.message).toBe(message);
    expect(requests).toEqual([]);
  });

  it('takes the text of an expression for a list', async () => {
    await begin();
    choose(`${forms[0]}, ${forms[2]}`);
    await world.activate();
    const id = submit(2);
    expect((await pollNextMinute()).ids).toEqual([id]);
  });

  it.each(['memory', 'durable'] as const)(
    'keeps the place of a form when another joins or leaves, and begins the new one with what is new (%s)',
    async (scheduler) => {
      await begin({ scheduler });
      choose([], 'one');
      await world.activate();
      submit(0);
      await pollNextMinute();
      const waiting = submit(0);
      submit(1);
      choose(forms.slice(0, 2));
      await world.activate();
      const fresh = submit(1);
      expect(
        account([...world.delivered.slice(1), ...((await pollNextMinute()).ids ?? [])], [waiting, fresh]),
      ).toMatchObject({ lost: 0, uninvited: 0 });
      choose(forms.slice(0, 1));
      await world.activate();
      submit(1);
      expect((await pollNextMinute()).ids).toBeNull();
      expect(account(world.delivered, world.delivered)).toEqual(EACH_ONCE);
      const keys = JSON.stringify(world.poller.staticData);
      expect(keys).toContain(forms[0]);
      expect(keys).not.toContain(forms[1]);
    },
  );
});

describe('watching every active form', () => {
  it.each(['memory', 'durable'] as const)(
    'hands out a new form from its first submission on (%s)',
    async (scheduler) => {
      await begin({ watch: 'active', scheduler });
      await world.activate();
      submit(0);
      await pollNextMinute();
      forms.push(addForm());
      const ids = [submit(3), submit(3)];
      expect(account((await pollNextMinute()).ids ?? [], ids)).toEqual(EACH_ONCE);
      expect((await pollNextMinute()).ids).toBeNull();
    },
  );

  it('leaves archived forms alone, and takes one up again where it was left', async () => {
    await begin({ watch: 'active' });
    await world.activate();
    const first = submit(1);
    expect((await pollNextMinute()).ids).toEqual([first]);
    world.emulator.workspace.updateForm(forms[1] ?? '', { isArchived: true });
    const meanwhile = submit(1);
    expect((await pollNextMinute()).ids).toBeNull();
    world.emulator.workspace.updateForm(forms[1] ?? '', { isArchived: false });
    expect((await pollNextMinute()).ids).toEqual([meanwhile]);
  });

  it('leaves archived forms alone when the service lists them all the same', async () => {
    await begin({ watch: 'active' });
    world.emulator.workspace.updateForm(forms[1] ?? '', { isArchived: true });
    world.transport = async (options, send) => {
      const { status: _status, ...qs } = options.qs ?? {};
      return await send({ ...options, qs });
    };
    await world.activate();
    submit(1);
    expect((await pollNextMinute()).ids).toBeNull();
  });

  it('begins with Start From in every form', async () => {
    await begin({ watch: 'active', options: { startFrom: new Date(START - HOUR).toISOString() } });
    const id = world.insert({ createdAt: START - HOUR / 2 });
    world.insert({ createdAt: START - 2 * HOUR });
    expect((await world.activate()).ids).toEqual([id]);
  });

  it('waits in peace in a workspace without a form', async () => {
    await begin({ watch: 'active', count: 1 });
    world.emulator.workspace.updateForm(forms[0] ?? '', { isArchived: true });
    await world.activate();
    expect(await pollNextMinute()).toMatchObject({ ids: null, error: undefined });
  });

  it('reads forms that the activation had no time for from its beginning on', async () => {
    await begin({ watch: 'active', count: 12 });
    const stop = world.emulator.onRequest(() => world.advance(5 * SECOND));
    forms.forEach((_, nth) => submit(nth));
    world.advance(MINUTE);
    const { error } = await world.activate();
    expect(error).toBeUndefined();
    expect(world.poller.reported).toHaveLength(1);
    stop();
    const ids = forms.map((_, nth) => submit(nth));
    await world.drain();
    expect(account(world.delivered, ids)).toEqual(EACH_ONCE);
  });
});
