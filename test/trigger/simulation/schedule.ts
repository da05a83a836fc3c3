import * as fc from 'fast-check';
import type { FaultEffect, Quirks } from '../../../emulator/index.ts';
import { noQuirks } from '../../../emulator/http/quirks.ts';
import { HOUR, LOOKBACK, MINUTE, SECOND } from '../harness';

/** What becomes of a submission's file: the last three need a server that hangs, pauses, or takes longer than any poll. */
export const FILE_KINDS = ['arrives', 'is missing', 'hangs', 'pauses', 'is slow'] as const;

export type FileKind = (typeof FILE_KINDS)[number];

/** Submissions that are made together. */
export interface Insert {
  do: 'insert';
  /** Which form. Places beyond the last form, trigger or submission start again at the first. */
  form: number;
  count: number;
  /** ms before now that the last of them was created; below 0: dated ahead. */
  ageMs: number;
  /** ms between two of them; 0: all at one time. */
  stepMs: number;
  /** ms from now until they are visible. */
  hiddenMs: number;
  /** µs that the service keeps and does not show. */
  micros: number;
  /** How their time is written. */
  zone: 'Z' | '+05:30';
  /** A file that each of them has, of slow ones only the first, if the trigger downloads files. */
  file?: FileKind;
}

export interface Delete {
  do: 'delete';
  /** Which of the submissions, 0 the newest inserted. */
  pick: number;
}

/** What the service does instead of what it should, by the kind of a fault. */
export const EFFECTS = {
  'status 500': { status: 500, body: { error: 'Internal server error' } },
  'status 503': { status: 503, headers: { 'retry-after': '3' } },
  'status 429': { status: 429, body: { error: 'Too many requests' }, headers: { 'retry-after': '7' } },
  '429 for long': { status: 429, headers: { 'retry-after': '300' } },
  'status 401': { status: 401, body: { error: 'Invalid API key' } },
  'status 403': { status: 403, body: { error: 'Not allowed' } },
  'status 404': { status: 404, body: { error: 'Form not found' } },
  'web page': { status: 200, body: '<!doctype html><title>Sign in</title>' },
  redirect: { redirect: 'https://elsewhere.example/forms' },
  'broken JSON': { malformed: true },
  reset: { reset: true },
  hang: { hang: true },
  drip: { drip: 1 },
  'slow body': { drip: 1_000, everyMs: 900 },
  'no list': { status: 200, body: { rows: [] } },
  'no id': {
    status: 200,
    body: { submissions: [{ created_at: '2030-01-01T00:00:00.000Z' }], forms: [{ title: 'A form' }], total_count: 1 },
  },
  'no date': {
    status: 200,
    body: {
      submissions: [{ id: '11111111-2222-4333-8444-555555555555' }],
      forms: [{ title: 'A form' }],
      total_count: 1,
    },
  },
} satisfies Record<string, FaultEffect>;

export type FaultKind = keyof typeof EFFECTS;

/** A request, counted from 1 within its poll, and those after it, that fail. */
export interface Fault {
  kind: FaultKind;
  at: number;
  times: number;
  /** Counts and fails the requests for one form only. */
  form?: number;
}

/** Something that happens just before a request of a poll is answered. */
export interface Interference {
  at: number;
  what: Insert | Delete;
}

/** When n8n crashes: at a request of the poll, after the poll with nothing stored, or between the two things that it stores. */
export type Crash = { at: number } | 'before the save' | 'between the saves' | 'between the saves, in the other order';

export interface Poll {
  do: 'poll';
  trigger: number;
  fault?: Fault;
  during: Interference[];
  crash?: Crash;
  /** Whether n8n starts a second poll while this one runs. */
  isOverlapped: boolean;
}

/** What a user changes in the workflow, which is then published again. */
export type Edit =
  | { do: 'rename'; trigger: number; name: string }
  | { do: 'swap names' }
  /** Another trigger, with the first name that is free. */
  | { do: 'copy' }
  /** The trigger is deleted, and another one gets its name. */
  | { do: 'replace'; trigger: number }
  | { do: 'switch workspace'; trigger: number }
  /** The forms chosen are the first one and these, or the first of these when one form is watched. */
  | { do: 'choose forms'; trigger: number; forms: number[] };

export type Step =
  | Insert
  | Delete
  | Poll
  | Edit
  | { do: 'restore'; pick: number }
  | { do: 'advance'; ms: number }
  | { do: 'skew'; ms: number }
  | { do: 'restart'; fault?: Fault }
  | { do: 'quirk'; quirks: Partial<Quirks> }
  | { do: 'add form' }
  | { do: 'archive'; form: number; isArchived: boolean }
  | { do: 'delete form'; form: number }
  /** The list of forms gives a wrong number of submissions of this form. */
  | { do: 'fix count'; form: number; count: number };

/** What happens to a workflow and its service, as plain data: what a failure prints can be pasted into a test. */
export interface Schedule {
  triggerOn: 'one' | 'several' | 'allActive';
  /** How many forms there are at first. */
  forms: number;
  scheduler: 'memory' | 'durable';
  latencyMs: number;
  maxSubmissions: number;
  downloadFiles: boolean;
  /** Hours before the activation that Start From names; undefined: not set. */
  startFromHours?: number;
  quirks: Partial<Quirks>;
  /** There before the activation. */
  past: Insert[];
  steps: Step[];
}

const counts = fc.oneof(
  { weight: 60, arbitrary: fc.integer({ min: 1, max: 4 }) },
  { weight: 14, arbitrary: fc.integer({ min: 5, max: 40 }) },
  { weight: 6, arbitrary: fc.integer({ min: 95, max: 110 }) },
  { weight: 3, arbitrary: fc.integer({ min: 150, max: 320 }) },
);
const formPlace = fc.constantFrom(0, 0, 0, 1, 2, 3);
const place = fc.nat(3);
const steps = fc.constantFrom(0, 0, 0, 1, 7, 10, 40, 333, 1_000, 5_000);

/** Late by at most the look-back less `marginMs`. */
const insert = (marginMs: number, mayBeAhead: boolean, count = counts): fc.Arbitrary<Insert> =>
  fc
    .record({
      form: formPlace,
      count,
      ageMs: fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(0, 1, 500, SECOND, 20 * SECOND) },
        { weight: 3, arbitrary: fc.integer({ min: 0, max: LOOKBACK - marginMs }) },
        { weight: mayBeAhead ? 1 : 0, arbitrary: fc.integer({ min: -2 * HOUR, max: -1 }) },
      ),
      stepMs: steps,
      hiddenMs: fc.oneof(
        { weight: 3, arbitrary: fc.constant(0) },
        { weight: 2, arbitrary: fc.integer({ min: 0, max: LOOKBACK }) },
        { weight: 1, arbitrary: fc.constantFrom(SECOND, MINUTE, LOOKBACK) },
      ),
      micros: fc.constantFrom(0, 0, 123, 999),
      zone: fc.constantFrom('Z', 'Z', 'Z', '+05:30'),
      file: fc.option(fc.constantFrom(...FILE_KINDS), {
        nil: undefined,
      }),
    })
    .map((made): Insert => {
      // The first of them is the oldest and must not be later than promised.
      const room = LOOKBACK - marginMs - made.ageMs;
      const stepMs = made.stepMs * (made.count - 1) <= room ? made.stepMs : 0;
      return {
        do: 'insert',
        ...made,
        stepMs,
        hiddenMs: Math.max(0, Math.min(made.hiddenMs, room - stepMs * (made.count - 1))),
      };
    });

const remove: fc.Arbitrary<Delete> = fc.record({
  do: fc.constant('delete' as const),
  pick: fc.oneof(fc.constant(0), fc.nat(400)),
});

const kinds = Object.keys(EFFECTS).filter((kind): kind is FaultKind => kind in EFFECTS);

const fault: fc.Arbitrary<Fault> = fc.record({
  kind: fc.constantFrom(...kinds),
  at: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 6 })),
  times: fc.constantFrom(1, 2, 3, 50),
  form: fc.option(place, { freq: 2, nil: undefined }),
});

/** A service that does as its description says, whatever its clock is like. */
const { noDateHeader: _noDateHeader, dateSkewMs: _dateSkewMs, fixedCounts: _fixedCounts, ...calm } = noQuirks();

/** Habits of a service under which the promise holds. One that ignores the page shows no more than a page of a crowded second. */
const habits = fc.oneof(
  fc
    .constantFrom<Array<Partial<Quirks>>>(
      { pageSizeCap: 50 },
      { pageSizeCap: 7 },
      { ignorePageSize: true },
      { noPagination: true },
      { randomTieOrder: true },
      { ignoreSubmittedAfter: true },
      { roundSubmittedAfter: { to: 'second', direction: 'up' } },
      { roundSubmittedAfter: { to: 'second', direction: 'down' } },
      { roundSubmittedAfter: { to: 'minute', direction: 'down' } },
      { randomTieOrder: true, noPagination: true },
      { randomTieOrder: true, pageSizeCap: 30 },
      { noPagination: true, pageSizeCap: 50 },
      { ignorePaging: true },
      { ignoreStatus: true },
      { countLagMs: 7 * MINUTE },
    )
    .map((habit) => ({ ...calm, ...habit })),
  fc.constant(calm),
);

/** What a service's clock is like: with what it leaves of the look-back, and whether submissions may be dated ahead. */
interface ServiceClock {
  quirks: Partial<Quirks>;
  marginMs: number;
  mayBeAhead: boolean;
}

const TRUE_CLOCK: ServiceClock = { quirks: {}, marginMs: 0, mayBeAhead: true };

const clocks = fc.oneof(
  { weight: 7, arbitrary: fc.constant(TRUE_CLOCK) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(5 * MINUTE, 1_500, -5 * MINUTE, -3 * HOUR)
      .map((dateSkewMs) => ({ quirks: { dateSkewMs }, marginMs: Math.max(0, dateSkewMs), mayBeAhead: true })),
  },
  // Without its time, the newest submission is all that tells how late it is there: none may be dated ahead.
  { weight: 1, arbitrary: fc.constant({ quirks: { noDateHeader: true }, marginMs: 0, mayBeAhead: false }) },
);

const pollWith = (inserts: fc.Arbitrary<Insert>): fc.Arbitrary<Poll> =>
  fc.record({
    do: fc.constant('poll' as const),
    trigger: place,
    fault: fc.option(fault, { freq: 4, nil: undefined }),
    during: fc.oneof(
      { weight: 3, arbitrary: fc.constant<Interference[]>([]) },
      {
        weight: 1,
        arbitrary: fc.array(
          fc.record({ at: fc.integer({ min: 1, max: 8 }), what: fc.oneof(remove, remove, inserts) }),
          { maxLength: 4 },
        ),
      },
    ),
    crash: fc.option(
      fc.oneof<Array<fc.Arbitrary<Crash>>>(
        fc.record({ at: fc.integer({ min: 1, max: 5 }) }),
        fc.constantFrom('before the save', 'between the saves', 'between the saves, in the other order'),
      ),
      { freq: 8, nil: undefined },
    ),
    isOverlapped: fc.integer({ min: 0, max: 9 }).map((roll) => roll === 0),
  });

const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('rename' as const),
      trigger: place,
      name: fc.constantFrom('NeetoForm Trigger', 'On answer', 'Third'),
    }),
  },
  { weight: 2, arbitrary: fc.constant<Edit>({ do: 'copy' }) },
  { weight: 2, arbitrary: fc.constant<Edit>({ do: 'swap names' }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('replace' as const), trigger: place }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('switch workspace' as const), trigger: place }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('choose forms' as const),
      trigger: place,
      forms: fc.array(place, { minLength: 1, maxLength: 3 }),
    }),
  },
);

const formStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Step>({ do: 'add form' }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('archive' as const), form: place, isArchived: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete form' as const), form: place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fix count' as const), form: place, count: fc.nat(3) }) },
);

const stepWith = (inserts: fc.Arbitrary<Insert>, hasManyForms: boolean): fc.Arbitrary<Step> =>
  fc.oneof(
    { weight: 30, arbitrary: inserts },
    { weight: 36, arbitrary: pollWith(inserts) },
    {
      weight: 16,
      arbitrary: fc.record({
        do: fc.constant('advance' as const),
        ms: fc.constantFrom(
          ...[1, 999, SECOND, 20 * SECOND],
          ...[MINUTE, MINUTE, MINUTE, 5 * MINUTE, LOOKBACK, 20 * MINUTE, 3 * HOUR],
        ),
      }),
    },
    { weight: 5, arbitrary: remove },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('restore' as const), pick: fc.nat(20) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('skew' as const),
        ms: fc.constantFrom(0, 10 * MINUTE, -10 * MINUTE, HOUR, -HOUR),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('restart' as const),
        fault: fc.option(fault, { freq: 2, nil: undefined }),
      }),
    },
    { weight: 5, arbitrary: edit },
    { weight: hasManyForms ? 8 : 0, arbitrary: formStep },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('quirk' as const), quirks: habits }) },
  );

const clockFor = (triggerOn: Schedule['triggerOn']) => (triggerOn === 'one' ? clocks : fc.constant(TRUE_CLOCK));

const schedulesOf = (triggerOn: Schedule['triggerOn'], serviceClocks = clockFor(triggerOn)): fc.Arbitrary<Schedule> =>
  serviceClocks.chain(({ quirks, marginMs, mayBeAhead }) => {
    const hasManyForms = triggerOn !== 'one';
    const inserts = insert(marginMs, mayBeAhead);
    const past = fc.tuple(inserts, fc.constantFrom(0, MINUTE, 30 * MINUTE, 3 * HOUR)).map(([made, moreMs]): Insert => ({
      ...made,
      ageMs: made.ageMs < 0 ? made.ageMs : made.ageMs + moreMs,
      hiddenMs: moreMs > 0 ? 0 : made.hiddenMs,
    }));
    return fc.record({
      triggerOn: fc.constant(triggerOn),
      forms: hasManyForms ? fc.integer({ min: 1, max: 4 }) : fc.constant(2),
      scheduler: fc.constantFrom('memory' as const, 'durable' as const),
      latencyMs: fc.constantFrom(0, 0, 30, 60),
      maxSubmissions: fc.constantFrom(1_000, 1_000, 1_000, 10, 100, 150),
      downloadFiles: fc.integer({ min: 0, max: 7 }).map((value) => value === 7),
      startFromHours: fc.option(fc.constantFrom(0, 1, 5), { freq: 8, nil: undefined }),
      quirks: fc
        .oneof({ weight: 2, arbitrary: fc.constant(calm) }, { weight: 1, arbitrary: habits })
        .map((habit) => ({ ...quirks, ...habit })),
      past: fc.oneof(
        { weight: 1, arbitrary: fc.constant<Insert[]>([]) },
        { weight: 3, arbitrary: fc.array(past, { minLength: 1, maxLength: 4 }) },
      ),
      steps: fc.array(stepWith(inserts, hasManyForms), { minLength: 1, maxLength: 24 }),
    });
  });

/** A burst that does not fit the IDs that a trigger may remember. By sevens, by tens or slowly it would take hundreds of polls. */
const floods = fc
  .tuple(schedulesOf('one', fc.constant(TRUE_CLOCK)), fc.integer({ min: 1_900, max: 2_400 }), fc.constantFrom(0, 1, 20))
  .filter(([schedule]) => !JSON.stringify(schedule).includes('"pageSizeCap":7'))
  .map(([schedule, count, stepMs]): Schedule => {
    const burst: Insert = { do: 'insert', form: 0, count, ageMs: 0, stepMs, hiddenMs: 0, micros: 0, zone: 'Z' };
    const steps = [...schedule.steps.slice(0, 5), burst, ...schedule.steps.slice(5, 13)];
    return { ...schedule, latencyMs: 0, maxSubmissions: 1_000, downloadFiles: false, steps };
  });

/** Any schedule that a trigger must come through. */
export const schedules: fc.Arbitrary<Schedule> = fc.oneof(
  { weight: 200, arbitrary: schedulesOf('one') },
  { weight: 80, arbitrary: schedulesOf('several') },
  { weight: 120, arbitrary: schedulesOf('allActive') },
  { weight: 1, arbitrary: floods },
);
