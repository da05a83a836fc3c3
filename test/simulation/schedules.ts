/** Random schedules: how a workflow and its service begin, and what happens to them. */

import * as fc from 'fast-check';
import type { FaultEffect, Quirks } from '../../emulator/index.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../trigger/harness';
import * as edits from './editSteps';
import * as polls from './pollSteps';
import * as events from './serviceSteps';
import type { Settings } from './service';
import type { World } from './world';

/** What the service does instead of what it should. */
const EFFECTS: FaultEffect[] = [
  { status: 500, body: { error: 'Internal server error' } },
  { status: 503, headers: { 'retry-after': '3' } },
  { status: 429, body: { error: 'Too many requests' }, headers: { 'retry-after': '7' } },
  { status: 401, body: { error: 'Invalid API key' } },
  { status: 403, body: { error: 'Not allowed' } },
  { status: 404, body: { error: 'Form not found' } },
  { status: 200, body: '<!doctype html><title>Sign in</title>' },
  { redirect: 'https://elsewhere.example/forms' },
  { malformed: true },
  { reset: true },
  { hang: true },
  { drip: 1 },
  { drip: 1_000, everyMs: 900 },
  { status: 200, body: { rows: [] } },
  { status: 200, body: { submissions: [{ created_at: '2030-01-01T00:00:00.000Z' }], forms: [{}], total_count: 1 } },
  { status: 200, body: { submissions: [{ id: '11111111-2222-4333-8444-555555555555' }], forms: [{}] } },
];

/** Habits of a service under which the promise holds. */
const HABITS: Array<Partial<Quirks>> = [
  { pageSizeCap: 50 },
  { pageSizeCap: 7 },
  { ignorePageSize: true },
  { randomTieOrder: true },
  { ignoreSubmittedAfter: true },
  { ignoreOrder: 'desc' },
  { ignoreOrder: 'asc' },
  { roundSubmittedAfter: { to: 'second', direction: 'up' } },
  { roundSubmittedAfter: { to: 'minute', direction: 'down' } },
  { randomTieOrder: true, pageSizeCap: 30 },
  { countsPageOnly: true },
  { ignorePaging: true },
  { ignoreStatus: true },
  { countLagMs: 7 * MINUTE },
];
const habits = fc.oneof(fc.constantFrom(...HABITS), fc.constant<Partial<Quirks>>({}));

const trigger = fc.constantFrom(0, 0, 0, 1, 2);
const form = fc.constantFrom(0, 0, 0, 1, 2, 3);
const effect = fc.constantFrom(...EFFECTS);
const optional = <T>(arbitrary: fc.Arbitrary<T>, freq: number) => fc.option(arbitrary, { nil: undefined, freq });

/** ms, spread evenly over the orders of magnitude. */
const between = (from: number, to: number) =>
  fc.double({ min: Math.log(from), max: Math.log(to), noNaN: true }).map((log) => Math.round(Math.exp(log)));

/** ms that a respondent takes: log-normal with a median of 6 minutes, up to 6 days. */
const tookMs = fc
  .tuple(fc.double({ min: 0.001, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([radius, angle]) => Math.sqrt(-2 * Math.log(radius)) * Math.cos(2 * Math.PI * angle))
  .map((normal) => Math.round(Math.min(6 * MINUTE * Math.exp(2 * normal), 6 * DAY)));

/** @param most submissions that are made together */
const insertOf = (most: number, mayBeAhead: boolean) =>
  fc
    .record({
      form,
      count: fc.oneof(
        { weight: 80, arbitrary: fc.integer({ min: 1, max: 4 }) },
        { weight: 12, arbitrary: fc.integer({ min: 5, max: 40 }) },
        { weight: 5, arbitrary: fc.integer({ min: 95, max: 110 }) },
        { weight: 2, arbitrary: fc.integer({ min: 150, max: 320 }) },
      ),
      ageMs: fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(0, 1, 500, SECOND, 20 * SECOND) },
        { weight: 3, arbitrary: between(SECOND, HOUR) },
        { weight: mayBeAhead ? 1 : 0, arbitrary: fc.integer({ min: -2 * HOUR, max: -1 }) },
      ),
      stepMs: fc.constantFrom(0, 0, 0, 1, 7, 40, 333, 1_000, 5_000),
      hiddenMs: fc.oneof(fc.constant(0), fc.constant(0), between(1, HOUR)),
      micros: fc.constantFrom(0, 0, 123, 999),
      file: optional(fc.constantFrom('arrives', 'is missing', 'hangs', 'pauses', 'is slow'), 2),
    })
    .map((made) => ({ ...made, count: Math.min(made.count, most, made.file === undefined ? Infinity : 3) }));

const during = (inserts: fc.Arbitrary<events.Insert>) => {
  const deletes = fc.nat(400).map((pick) => new events.Delete({ pick }));
  const what = fc.oneof<Array<fc.Arbitrary<events.Insert | events.Delete>>>(deletes, inserts);
  return fc.array(fc.record({ at: fc.integer({ min: 1, max: 8 }), what }), { maxLength: 3 });
};

type Command = fc.AsyncCommand<object, World>;

function commandsOf({ maxSubmissions, quirks }: Settings): Array<fc.WeightedArbitrary<Command>> {
  const inserts = insertOf(10 * maxSubmissions, quirks.noDateHeader !== true).map((made) => new events.Insert(made));
  const at = fc.integer({ min: 1, max: 6 });
  const times = fc.constantFrom(1, 2, 3, 50);
  const chosen = fc.array(form, { minLength: 1, maxLength: 3 });
  const noMeanwhile = fc.constant<Array<{ at: number; what: events.Insert | events.Delete }>>([]);
  const poll = fc.record({
    trigger,
    afterMs: fc.constantFrom(0, SECOND, MINUTE, MINUTE, MINUTE, 5 * MINUTE),
    during: fc.oneof({ weight: 3, arbitrary: noMeanwhile }, { weight: 1, arbitrary: during(inserts) }),
    isOverlapped: fc.integer({ min: 0, max: 9 }).map((roll) => roll === 9),
  });
  const later = fc.record({
    trigger,
    afterMs: between(MINUTE, DAY),
    during: noMeanwhile,
    isOverlapped: fc.constant(false),
  });
  const late = fc.record({ form, agoMs: between(SECOND, DAY), tookMs });
  const crash = fc.oneof(at, fc.constantFrom('before the save', 'state first', 'items first'));
  const hides = fc.record({
    trigger,
    forms: fc.oneof(fc.constant<number[]>([0, 1, 2, 3, 4, 5]), fc.array(fc.nat(3), { minLength: 1, maxLength: 3 })),
    polls: fc.integer({ min: 1, max: 4 }),
    everyMs: fc.constantFrom(MINUTE, MINUTE, HOUR),
  });
  const names = fc.constantFrom('Trigger 1', 'On answer', 'Third');
  const weighted: Array<[number, fc.Arbitrary<Command>]> = [
    [24, inserts],
    [10, late.map((is) => new events.LateFinisher(is))],
    [26, poll.map((is) => new polls.Poll(is))],
    [10, later.map((is) => new polls.Poll(is))],
    [4, fc.nat(400).map((pick) => new events.Delete({ pick }))],
    [3, fc.nat(20).map((pick) => new events.Restore({ pick }))],
    [5, between(1, DAY).map((ms) => new events.Advance({ ms }))],
    [6, fc.record({ trigger, effect, at, times, form: optional(form, 2) }).map((is) => new polls.Fault(is))],
    [2, fc.record({ trigger, at }).map((is) => new polls.RateLimit(is))],
    [3, fc.record({ effect: optional(effect, 2) }).map((is) => new polls.Restart(is))],
    [4, fc.record({ trigger, when: crash }).map((is) => new polls.Crash(is))],
    [2, fc.constantFrom(0, 10 * MINUTE, -10 * MINUTE, HOUR).map((skewMs) => new events.SetClock({ skewMs }))],
    [2, habits.map((changed) => new events.Habit({ quirks: changed }))],
    [2, fc.record({ form, count: fc.nat(3) }).map((is) => new events.WrongCount(is))],
    [2, fc.constant({}).map((is) => new events.AddForm(is))],
    [1, fc.record({ form }).map((is) => new events.DeleteForm(is))],
    [3, fc.record({ form, isArchived: fc.boolean() }).map((is) => new events.Archive(is))],
    [3, hides.map((is) => new polls.ListHides(is))],
    [2, fc.constant({}).map((is) => new events.ChangeAddress(is))],
    [3, fc.record({ trigger, forms: chosen }).map((is) => new edits.EditForms(is))],
    [2, fc.record({ trigger, name: names }).map((is) => new edits.RenameNode(is))],
    [1, fc.constant({}).map((is) => new edits.SwapNames(is))],
    [2, fc.record({ trigger, isReplaced: fc.boolean() }).map((is) => new edits.CopyNode(is))],
    [1, fc.record({ trigger }).map((is) => new edits.SwitchWorkspace(is))],
  ];
  return weighted.map(([weight, arbitrary]) => ({ weight, arbitrary }));
}

/** Clocks of the service: right, wrong, or not told. By a wrong one, a form that was just created cannot be told from an old one. */
const clocks = fc.constantFrom<Array<Partial<Quirks>>>(
  ...[{}, {}, {}, {}, {}, {}, { dateSkewMs: 5 * MINUTE }, { dateSkewMs: -3 * HOUR }, { noDateHeader: true }],
);

const settings: fc.Arbitrary<Settings> = fc
  .constantFrom<Array<Settings['triggerOn']>>('one', 'one', 'several', 'allActive', 'allActive')
  .chain((triggerOn) =>
    fc.record({
      triggerOn: fc.constant(triggerOn),
      forms: triggerOn === 'one' ? fc.constant(2) : fc.integer({ min: 1, max: 5 }),
      ids: fc.nat(99),
      scheduler: fc.constantFrom('memory', 'durable', 'scheduler'),
      latencyMs: fc.constantFrom(0, 0, 30),
      maxSubmissions: fc.oneof(fc.constant(1_000), fc.integer({ min: 1, max: 20 }), fc.constantFrom(100, 150)),
      downloadFiles: fc.integer({ min: 0, max: 7 }).map((roll) => roll === 7),
      startFromHours: optional(fc.constantFrom(1, 5), 8),
      quirks: fc
        .tuple(triggerOn === 'allActive' ? fc.constant({}) : clocks, habits)
        .map(([clock, habit]) => ({ ...clock, ...habit })),
    }),
  );

/** How a schedule begins, what is there before the first publication, and what happens. */
export type Schedule = [settings: Settings, past: events.Insert[], happens: Iterable<Command>];

export const schedules: fc.Arbitrary<Schedule> = settings.chain((is) =>
  fc.tuple(
    fc.constant(is),
    fc.array(
      insertOf(10 * is.maxSubmissions, is.quirks.noDateHeader !== true).map((made) => new events.Insert(made)),
      { maxLength: 3 },
    ),
    fc.commands(
      commandsOf(is).flatMap(({ weight, arbitrary }) => Array.from({ length: weight }, () => arbitrary)),
      { maxCommands: 24, size: 'max' },
    ),
  ),
);
