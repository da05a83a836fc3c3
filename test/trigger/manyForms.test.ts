import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { z } from 'zod';
import type { FaultEffect } from '../../emulator/index.ts';
import {
  compare,
  causeOf,
  createHarness,
  EACH_ONCE,
  HOUR,
  idsOf,
  MINUTE,
  pathsOf,
  SECOND,
  START,
  type PollOutcome,
  type TriggerHarness,
  type HarnessOptions,
} from './harness';

const DOWN: FaultEffect = { status: 503, body: { error: 'Down for maintenance' } };
const GONE: FaultEffect = { status: 404, body: { error: 'Form does not exist.' } };

jest.setTimeout(60_000);

let harness: TriggerHarness;
/** The forms of the workspace, oldest first; the first one is the harness's own. */
let forms: string[];
/** What the user chose, for this process of n8n and the next. */
let chosen: INodeParameters;

interface Setting extends HarnessOptions {
  watch?: 'several' | 'active';
  count?: number;
}

async function begin({ watch = 'several', count = 3, ...options }: Setting = {}): Promise<void> {
  chosen = { watch, formIds: [] };
  harness = await createHarness({ transport: 'inject', output: 'simplified', parameters: chosen, ...options });
  forms = [harness.formId, ...Array.from({ length: count - 1 }, addForm)];
  if (watch === 'several') choose(forms);
}

afterEach(async () => await harness.close());

function addForm(): string {
  return harness.emulator.workspace.addForm({ title: 'Another' }).id;
}

/** The user edits the workflow and publishes it. */
function choose(formIds: string[] | string, watch = 'several'): void {
  Object.assign(chosen, { watch, formIds });
  harness.poller.setParameters(harness.parameters());
}

/** A submission of the nth form. */
function submit(nth: number): string {
  return harness.emulator.workspace.addSubmission(forms[nth] ?? '').id;
}

async function pollNextMinute(): Promise<PollOutcome> {
  return await harness.pollNextMinute();
}

const archive = (nth: number) => harness.emulator.workspace.updateForm(forms[nth] ?? '', { isArchived: true });

/** Makes every request for one form fail. */
function breakForm(nth: number, effect: FaultEffect): () => void {
  return harness.emulator.fail({ when: { path: new RegExp(forms[nth] ?? ''), every: 1 }, with: effect });
}

/** Static data without the empty objects that n8n makes for who reads them. */
const substance = (staticData: IDataObject) =>
  Object.entries(staticData).filter(([, value]) => JSON.stringify(value) !== '{}');

describe.each(['several', 'active'] as const)('watching %s forms', (watch) => {
  it.each(['memory', 'durable'] as const)(
    'emits nothing of the past, and each new submission once, with its form (%s)',
    async (scheduler) => {
      await begin({ watch, scheduler });
      const past = [submit(0), submit(1)];
      await harness.activate();
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
      expect(harness.delivered.filter((id) => past.includes(id))).toEqual([]);
    },
  );

  it('sends at most six requests at a time', async () => {
    await begin({ watch, transport: 'http', count: 30 });
    await harness.activate();
    forms.forEach((_, nth) => submit(nth));
    harness.emulator.fail({ when: { every: 1 }, with: { delayMs: 5 } });
    harness.emulator.inFlight.max = 0;
    expect((await pollNextMinute()).ids).toHaveLength(30);
    expect(harness.emulator.inFlight.max).toBe(6);
  });

  it('reads one form at a time once the service says that it gets too many requests', async () => {
    await begin({ watch, transport: 'http', count: 12 });
    await harness.activate();
    harness.emulator.fail({
      when: { path: /submissions/, nth: 1 },
      with: { status: 429, headers: { 'retry-after': '0' } },
    });
    harness.emulator.fail({ when: { path: /submissions/, every: 1 }, with: { delayMs: 5 } });
    const underWay: number[] = [];
    harness.emulator.onRequest(() => {
      underWay.push(harness.emulator.inFlight.now);
    });
    forms.forEach((_, nth) => submit(nth));
    expect((await pollNextMinute()).error).toBeUndefined();
    expect(Math.max(...underWay.slice(-6))).toBeLessThanOrEqual(1);
  });

  it('is not stopped by one form that cannot be read, which is reported once and loses nothing', async () => {
    await begin({ watch });
    await harness.activate();
    const fix = breakForm(1, DOWN);
    const missed = submit(1);
    const others = [submit(0), submit(2)];
    const outcome = await pollNextMinute();
    expect(outcome.error).toBeUndefined();
    expect(compare(outcome.ids ?? [], others)).toEqual(EACH_ONCE);
    expect(harness.poller.reported.map(({ message }) => message)).toEqual([
      expect.stringMatching(new RegExp(`^1 of 3 forms .*${forms[1]}.*Down for maintenance`)),
    ]);
    await pollNextMinute();
    expect(harness.poller.reported).toHaveLength(1);
    harness.advance(HOUR);
    await harness.poll();
    expect(harness.poller.reported).toHaveLength(2);
    fix();
    expect((await pollNextMinute()).ids).toEqual([missed]);
    breakForm(1, DOWN);
    submit(1);
    await pollNextMinute();
    expect(harness.poller.reported).toHaveLength(3);
  });

  it('fails, with its state unchanged, when no form can be read', async () => {
    await begin({ watch });
    await harness.activate();
    await pollNextMinute();
    const ids = [submit(0), submit(1), submit(2)];
    const fix = harness.emulator.fail({ when: { every: 1 }, with: DOWN });
    const outcome = await pollNextMinute();
    expect(outcome.error?.message).toContain('Down for maintenance');
    expect(causeOf(outcome.error)).toBe('temporarily-unavailable');
    expect(outcome.staticData).toEqual(outcome.staticDataBefore);
    expect(harness.poller.reported).toEqual([]);
    fix();
    expect(compare((await pollNextMinute()).ids ?? [], ids)).toEqual(EACH_ONCE);
  });

  it('comes up with n8n although a form is gone and the service is in trouble', async () => {
    await begin({ watch });
    await harness.activate();
    submit(0);
    await pollNextMinute();
    const missed = [submit(0), submit(2)];
    breakForm(1, GONE);
    const fix = harness.emulator.fail({
      when: { match: ({ path }) => !path.includes(forms[1] ?? ''), every: 1 },
      with: DOWN,
    });
    const outcome = await harness.restart();
    expect(outcome?.error).toBeUndefined();
    fix();
    expect(compare((await pollNextMinute()).ids ?? [], missed)).toEqual(EACH_ONCE);
  });

  it('does nothing in a second poll while the first one runs', async () => {
    await begin({ watch });
    await harness.activate();
    harness.advance(MINUTE);
    const id = submit(1);
    const [first, second] = await Promise.all([harness.poll(), harness.poll()]);
    expect([first.ids, second.ids]).toEqual([[id], null]);
  });

  it('emits no more than Max Submissions in one poll, and gives every form its turn', async () => {
    await begin({ watch, options: { maxSubmissions: 50 } });
    await harness.activate();
    const ids = Array.from({ length: 200 }, () => submit(0));
    ids.push(submit(1), submit(2));
    const first = [await pollNextMinute(), await pollNextMinute(), await pollNextMinute()];
    expect(first.map((outcome) => outcome.ids?.length)).toEqual([50, 50, 50]);
    expect(harness.delivered).toEqual(expect.arrayContaining(ids.slice(-2)));
    await harness.pollUntilEmpty();
    expect(compare(harness.delivered, ids)).toEqual(EACH_ONCE);
  });

  it('reads in the next polls what one has no time for', async () => {
    await begin({ watch, count: 24 });
    await harness.activate();
    harness.emulator.onRequest(() => harness.advance(2.5 * SECOND));
    const ids = forms.map((_, nth) => submit(nth));
    for (let minute = 0; minute < 12; minute++)
      expect((await pollNextMinute()).elapsedMs).toBeLessThanOrEqual(46 * SECOND);
    expect(compare(harness.delivered, ids)).toEqual(EACH_ONCE);
  });

  it('shows the newest submission of them all as the test event, and changes nothing', async () => {
    await begin({ watch });
    submit(2);
    harness.advance(SECOND);
    const newest = submit(0);
    harness.advance(SECOND);
    const { ids, staticData, staticDataBefore } = await harness.poll({ mode: 'manual' });
    expect(ids).toEqual([newest]);
    expect(substance(staticData)).toEqual(substance(staticDataBefore));
  });

  it.each(['raw', 'row'])('says the form of each item in %s output too', async (output) => {
    await begin({ watch, output });
    await harness.activate();
    harness.emulator.workspace.addSubmission(forms[1] ?? '', {
      responses: [{ id: 'r', label: 'form_id', position: 1, kind: 'text', slug: 'q', value: 'mine' }],
    });
    const [items = []] = (await harness.poller.poll()) ?? [];
    expect(items[0]?.json).toMatchObject(
      output === 'raw' ? { form_id: forms[1] } : { form_id: forms[1], 'form_id (2)': 'mine' },
    );
  });
});

describe('watching several forms', () => {
  it('does not activate with a form that does not exist, and stores nothing', async () => {
    await begin();
    choose([...forms, 'no-such-form']);
    const { error, staticData } = await harness.activate();
    expect(error).toMatchObject({
      message: 'Form not found',
      description: expect.stringContaining('no-such-form') as unknown,
    });
    expect(substance(staticData)).toEqual([]);
  });

  it.each([
    [[], "'Form Names or IDs' is empty"],
    ['', "'Form Names or IDs' is empty"],
    [['..'], "'Form Names or IDs' is not an ID"],
    ['https://acme.neetoform.com/x', "'Form Names or IDs' is an address from which no ID can be read"],
  ])('refuses %j before a request', async (formIds, message) => {
    await begin();
    choose(formIds);
    const { error, requests } = await harness.activate();
    expect(error?.message).toBe(message);
    expect(requests).toEqual([]);
  });

  it('takes the text of an expression for a list', async () => {
    await begin();
    choose(`${forms[0]}, ${forms[2]}`);
    await harness.activate();
    const id = submit(2);
    expect((await pollNextMinute()).ids).toEqual([id]);
  });

  it.each(['memory', 'durable'] as const)(
    'keeps the cursor of a form when another is added or removed, and starts the added one with what is new (%s)',
    async (scheduler) => {
      await begin({ scheduler });
      choose([], 'one');
      await harness.activate();
      submit(0);
      await pollNextMinute();
      const waiting = submit(0);
      submit(1);
      choose(forms.slice(0, 2));
      await harness.activate();
      const fresh = submit(1);
      expect(
        compare([...harness.delivered.slice(1), ...((await pollNextMinute()).ids ?? [])], [waiting, fresh]),
      ).toMatchObject({ lost: 0, unexpected: 0 });
      choose(forms.slice(0, 1));
      await harness.activate();
      submit(1);
      expect((await pollNextMinute()).ids).toBeNull();
      expect(compare(harness.delivered, harness.delivered)).toEqual(EACH_ONCE);
      await pollNextMinute();
      expect([...(harness.state?.forms.keys() ?? [])]).toEqual(forms.slice(0, 1));
    },
  );
});

describe('watching every active form', () => {
  it.each(['memory', 'durable'] as const)(
    'emits the submissions of a new form from the first one on (%s)',
    async (scheduler) => {
      await begin({ watch: 'active', scheduler });
      await harness.activate();
      submit(0);
      await pollNextMinute();
      forms.push(addForm());
      const ids = [submit(3), submit(3)];
      expect(compare((await pollNextMinute()).ids ?? [], ids)).toEqual(EACH_ONCE);
      expect((await pollNextMinute()).ids).toBeNull();
    },
  );

  it('reads an archived form no more, and continues where it was when it is active again', async () => {
    await begin({ watch: 'active' });
    await harness.activate();
    const first = submit(1);
    expect((await pollNextMinute()).ids).toEqual([first]);
    harness.emulator.workspace.updateForm(forms[1] ?? '', { isArchived: true });
    for (const outcome of await harness.pollFor(40 * MINUTE)) expect(outcome.ids).toBeNull();
    const idle = await harness.pollFor(30 * MINUTE);
    expect(idle.flatMap(pathsOf).filter((path) => path.includes(forms[1] ?? ''))).toEqual([]);
    const meanwhile = submit(1);
    expect((await pollNextMinute()).ids).toBeNull();
    harness.emulator.workspace.updateForm(forms[1] ?? '', { isArchived: false });
    expect((await pollNextMinute()).ids).toEqual([meanwhile]);
  });

  it('reads no form that was archived before the activation, when the service lists it all the same', async () => {
    await begin({ watch: 'active' });
    harness.emulator.workspace.updateForm(forms[1] ?? '', { isArchived: true });
    harness.transport = async (options, send) => {
      const { status: _status, ...qs } = options.qs ?? {};
      return await send({ ...options, qs });
    };
    await harness.activate();
    submit(1);
    expect((await pollNextMinute()).ids).toBeNull();
  });

  it('begins with Start From in every form', async () => {
    await begin({ watch: 'active', options: { startFrom: new Date(START - HOUR).toISOString() } });
    const id = harness.insert({ createdAt: START - HOUR / 2 });
    harness.insert({ createdAt: START - 2 * HOUR });
    expect((await harness.activate()).ids).toEqual([id]);
  });

  it('polls without an error in a workspace without an active form', async () => {
    await begin({ watch: 'active', count: 1 });
    harness.emulator.workspace.updateForm(forms[0] ?? '', { isArchived: true });
    await harness.activate();
    expect(await pollNextMinute()).toMatchObject({ ids: null, error: undefined });
  });
});

describe('a form that is archived', () => {
  it.each(['several', 'active'] as const)(
    'still delivers what was submitted before, also what becomes visible late (%s)',
    async (watch) => {
      await begin({ watch });
      await harness.activate();
      harness.advance(5 * MINUTE);
      const ids = [
        submit(1),
        harness.insert({ createdAt: harness.now - SECOND, visibleAt: harness.now + 14 * MINUTE }, forms[1]),
      ];
      archive(1);
      expect((await pollNextMinute()).ids).toEqual(ids.slice(0, 1));
      await harness.pollFor(30 * MINUTE);
      expect(compare(harness.delivered, ids)).toEqual(EACH_ONCE);
    },
  );

  it('still delivers a backlog of 2,500, however late it is polled', async () => {
    await begin({ watch: 'active' });
    await harness.activate();
    const ids = Array.from({ length: 2_500 }, (_, index) =>
      harness.insert({ createdAt: START + index * 100, visibleAt: START + index * 100 }, forms[2]),
    );
    harness.advance(5 * MINUTE);
    archive(2);
    harness.advance(3 * HOUR);
    await harness.pollUntilEmpty(4);
    expect(compare(harness.delivered, ids)).toEqual(EACH_ONCE);
  });
});

describe('several forms, one of them named in two spellings', () => {
  it('emit each submission once', async () => {
    await begin();
    harness.transport = async (options, send) => await send({ ...options, url: options.url.toLowerCase() });
    choose([forms[0] ?? '', ` ${forms[0]} `, forms[0]?.toUpperCase() ?? '', forms[1] ?? '']);
    await harness.activate();
    const ids = [submit(0), submit(1)];
    await harness.pollFor(12 * MINUTE);
    expect(compare(harness.delivered, ids)).toEqual(EACH_ONCE);
    expect([...(harness.state?.forms.keys() ?? [])].toSorted()).toEqual(forms.slice(0, 2).toSorted());
  });
});

describe('every active form of a workspace with 200 forms', () => {
  it.each(['memory', 'durable'] as const)('keeps no state of forms that were deleted (%s)', async (scheduler) => {
    await begin({ watch: 'active', count: 200, scheduler });
    await harness.activate();
    forms.forEach((_, nth) => submit(nth));
    await harness.pollUntilEmpty();
    for (const id of forms.slice(20)) harness.emulator.workspace.deleteForm(id);
    await harness.pollFor(2 * MINUTE);
    // In memory mode n8n stores the state with the next items.
    const id = submit(3);
    expect(idsOf(await harness.pollUntilEmpty())).toEqual([id]);
    const kept = [...(harness.state?.forms.keys() ?? [])];
    expect(kept.toSorted()).toEqual(forms.slice(0, 20).toSorted());
    const stored = JSON.stringify(harness.poller.savedStaticData);
    expect(forms.slice(20).filter((form) => stored.includes(form))).toEqual([]);
    expect(stored.length).toBeLessThan(20_000);
  });

  it('forgets no form that one list alone lacks', async () => {
    await begin({ watch: 'active', count: 3 });
    await harness.activate();
    const first = submit(1);
    await pollNextMinute();
    harness.transport = async (options, send) => {
      const response = await send(options);
      return options.url.endsWith('/forms') ? withoutForm(response, forms[1] ?? '') : response;
    };
    await pollNextMinute();
    harness.transport = async (options, send) => await send(options);
    const second = submit(1);
    await harness.pollUntilEmpty();
    expect(harness.delivered).toEqual([first, second]);
  });
});

/** The list of forms as if one of them did not exist. */
function withoutForm(response: unknown, formId: string): unknown {
  const { body, ...rest } = z
    .object({ body: z.object({ forms: z.array(z.record(z.unknown())) }) })
    .passthrough()
    .parse(response);
  const left = body.forms.filter(({ id }) => id !== formId);
  return { ...rest, body: { forms: left, total_count: left.length } };
}

describe('forms that compete for the time and the size of a poll', () => {
  it.each([1, 2, 3, 4, 6, 8])(
    'each get their turn when Max Submissions is 5 and n8n polls every %i minutes',
    async (minutes) => {
      await begin({ watch: 'several', count: 4, options: { maxSubmissions: 5 } });
      await harness.activate();
      const ids = forms.map((_, nth) => Array.from({ length: nth === 0 ? 300 : 20 }, () => submit(nth)));
      // Each of the four gets every fourth poll at least: 20 submissions take four turns.
      for (let poll = 0; poll < 4 * 4 + 1; poll++) {
        harness.advance(minutes * MINUTE);
        expect((await harness.poll()).error).toBeUndefined();
      }
      for (const quiet of ids.slice(1)) expect(quiet.filter((id) => !harness.delivered.includes(id))).toEqual([]);
    },
  );

  it('are all read within a few polls when the service takes half a second for each of 500', async () => {
    await begin({ watch: 'active', count: 500, latencyMs: 500, output: 'raw' });
    await harness.activate();
    await harness.pollFor(12 * MINUTE);
    const ids = forms.map((_, nth) => submit(nth));
    // A poll has time for 72 requests, five of them for the list.
    await harness.pollFor(10 * MINUTE);
    expect(compare(harness.delivered, ids)).toEqual(EACH_ONCE);
  });

  it('continue where the last poll stopped after a restart of n8n', async () => {
    await begin({ watch: 'several', count: 4, options: { maxSubmissions: 5 } });
    await harness.activate();
    const ids = forms.map((_, nth) => Array.from({ length: nth === 0 ? 300 : 5 }, () => submit(nth)));
    for (let round = 0; round < 5; round++) {
      await pollNextMinute();
      await harness.restart();
    }
    for (const quiet of ids.slice(1)) expect(quiet.filter((id) => !harness.delivered.includes(id))).toEqual([]);
  });
});

describe.each(['several', 'active'] as const)('the activation of a workflow that watches %s forms', (watch) => {
  it('succeeds on a slow service, delivers nothing of the past, and each submission after it once', async () => {
    await begin({ watch, count: 60, latencyMs: SECOND });
    const past = forms.map((_, nth) => submit(nth));
    harness.advance(HOUR);
    past.push(...forms.map((_, nth) => submit(nth)));
    harness.advance(10 * SECOND);
    const activation = await harness.activate();
    expect(activation.error).toBeUndefined();
    expect(activation.elapsedMs).toBeLessThanOrEqual(46 * SECOND);
    const ids = forms.map((_, nth) => submit(nth));
    await harness.pollFor(20 * MINUTE);
    expect(harness.delivered.filter((id) => past.includes(id))).toEqual([]);
    expect(compare(harness.delivered, ids)).toEqual(EACH_ONCE);
  });

  it('succeeds when one form cannot be read for a while, and keeps what was read of the others', async () => {
    await begin({ watch, count: 5 });
    const past = forms.map((_, nth) => submit(nth));
    harness.advance(10 * SECOND);
    const fix = breakForm(2, DOWN);
    expect((await harness.activate()).error).toBeUndefined();
    expect(harness.poller.reported).toHaveLength(1);
    expect(harness.state?.forms.size).toBeGreaterThanOrEqual(4);
    const ids = forms.map((_, nth) => submit(nth));
    fix();
    await harness.pollFor(12 * MINUTE);
    expect(harness.delivered.filter((id) => past.includes(id))).toEqual([]);
    expect(compare(harness.delivered, ids)).toEqual(EACH_ONCE);
  });

  it.each<[string, FaultEffect]>([
    ['the key is refused', { status: 401, body: { error: 'Invalid API Key' } }],
    ['the form list cannot be read', { status: 500, body: { error: 'Internal error' } }],
  ])('fails when %s', async (_, effect) => {
    await begin({ watch });
    harness.emulator.fail({ when: { every: 1 }, with: effect });
    const { error, staticData } = await harness.activate();
    expect(error).toBeDefined();
    expect(substance(staticData)).toEqual([]);
  });
});

describe('a poll of 500 idle forms', () => {
  it.each(['several', 'active'] as const)(
    'takes at most 5 + 500/8 requests on average, and no poll more than twice as many (%s)',
    async (watch) => {
      await begin({ watch, count: 500 });
      await harness.activate();
      await harness.pollFor(25 * MINUTE);
      const polls = (await harness.pollFor(HOUR)).map(({ requests }) => requests.length);
      expect(polls.reduce((sum, count) => sum + count, 0) / polls.length).toBeLessThanOrEqual(5 + 500 / 8);
      expect(Math.max(...polls)).toBeLessThanOrEqual(2 * (5 + 500 / 8));
    },
  );

  it('takes one request more for each form with something new', async () => {
    await begin({ watch: 'active', count: 100 });
    await harness.activate();
    await harness.pollFor(25 * MINUTE);
    const ids = [submit(7), submit(70)];
    const outcome = await pollNextMinute();
    expect(compare(outcome.ids ?? [], ids)).toEqual(EACH_ONCE);
    expect(pathsOf(outcome)).toEqual(expect.arrayContaining([7, 70].map((nth) => `forms/${forms[nth]}/submissions`)));
    expect(outcome.requests.length).toBeLessThanOrEqual(3 + 2 * (100 / 10));
  });
});

describe('the number of submissions in the list of forms', () => {
  const untilDelivered = async (ids: string[]) => {
    await harness.pollFor(12 * MINUTE);
    expect(compare(harness.delivered, ids)).toEqual(EACH_ONCE);
  };

  it.each([
    ['never changes', { constant: 7 }],
    ['is missing', { constant: undefined }],
    ['is no number', { constant: 'many' }],
  ])('delays a submission by ten minutes at most when it %s', async (_, { constant }) => {
    await begin({ watch: 'active', count: 5 });
    harness.transport = async (options, send) => {
      const response = await send(options);
      return options.url.endsWith('/forms') ? withCounts(response, constant) : response;
    };
    await harness.activate();
    const ids: string[] = [];
    for (let round = 0; round < 4; round++) {
      ids.push(...forms.map((_form, nth) => submit(nth)));
      await untilDelivered(ids);
    }
  });

  it('delays a submission by ten minutes at most when it lags by five minutes', async () => {
    await begin({ watch: 'active', count: 5 });
    harness.emulator.quirks.countLagMs = 5 * MINUTE;
    await harness.activate();
    const ids: string[] = [];
    for (let minute = 0; minute < 60; minute++) {
      if (minute % 3 === 0) ids.push(submit(minute % 5));
      await pollNextMinute();
    }
    await untilDelivered(ids);
  });

  it('hides no submission that comes as another is deleted', async () => {
    await begin({ watch: 'active', count: 5 });
    await harness.activate();
    const ids = Array.from({ length: 10 }, () => submit(1));
    await pollNextMinute();
    for (const delivered of [...ids]) {
      ids.push(submit(1));
      harness.emulator.workspace.deleteSubmission(forms[1] ?? '', delivered);
      await pollNextMinute();
    }
    await untilDelivered(ids);
  });

  it('hides no submission that becomes visible late', async () => {
    await begin({ watch: 'active', count: 5 });
    await harness.activate();
    const ids: string[] = [];
    for (let minute = 0; minute < 40; minute++) {
      ids.push(
        harness.insert({ createdAt: harness.now, visibleAt: harness.now + (minute % 15) * MINUTE }, forms[minute % 5]),
      );
      await pollNextMinute();
    }
    harness.advance(15 * MINUTE);
    await untilDelivered(ids);
  });
});

/** The list of forms with other numbers of submissions. */
function withCounts(response: unknown, count: unknown): unknown {
  const { body, ...rest } = z
    .object({ body: z.object({ forms: z.array(z.record(z.unknown())) }).passthrough() })
    .passthrough()
    .parse(response);
  return { ...rest, body: { ...body, forms: body.forms.map((form) => ({ ...form, submissions_count: count })) } };
}
