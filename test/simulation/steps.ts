/** The steps of schedules. A place is the number of a form, trigger or submission; after the last one, it counts from the first. */

import * as fc from 'fast-check';
import { DAY, HOUR, MINUTE, SECOND } from '../trigger/outcome';

type ValueOf<Values> = Values extends fc.Arbitrary<infer Value> ? Value : never;
type Fields<Details> = { [Key in keyof Details]: fc.Arbitrary<Details[Key]> };

const step = <const Name extends string, Details extends object>(name: Name, details: Fields<Details>) =>
  fc.record(details).map((is) => ({ do: name, ...is }));
const weighted = <Value>(weight: number, arbitrary: fc.Arbitrary<Value>) => ({ weight, arbitrary });
const orNot = <Value>(weight: number, value: fc.Arbitrary<Value>) =>
  fc.oneof(weighted(weight, fc.constant(undefined)), value);
const place = fc.nat({ max: 5 });

/** Requests that fail: from one of a poll on, so many, perhaps only those for one form or for the list of forms. */
const fault = orNot(
  3,
  fc.record({
    effect: fc.constantFrom(401, 403, 429, 503, 'web page', 'reset', 'hangs', 'drips'),
    from: fc.integer({ min: 1, max: 6 }),
    times: fc.constantFrom(1, 3, 50),
    only: fc.oneof(fc.constantFrom(undefined, 'list'), place),
  }),
);

/** Submissions appear: the last one was created so many ms ago, and each so many ms after the one before. */
const submit = step('submit', {
  form: place,
  count: fc.oneof(weighted(5, fc.integer({ min: 1, max: 3 })), fc.integer({ min: 4, max: 130 })),
  ago: fc.oneof(
    weighted(4, fc.constantFrom(0, 0, 0, 400, 20 * SECOND)),
    fc.constantFrom(14 * MINUTE, 40 * MINUTE, 5 * HOUR, 3 * DAY, 6 * DAY),
  ),
  apart: fc.constantFrom(0, 0, 1, 500, 7 * SECOND),
});

const change = step('change', { pick: fc.nat({ max: 20 }) });

/** A second poll may begin while the first runs or is stored, and submissions may come and go between its requests. */
const poll = step('poll', {
  trigger: place,
  after: fc.constantFrom(MINUTE, MINUTE, MINUTE, 5 * SECOND, 5 * MINUTE, HOUR, DAY),
  fault,
  overlap: orNot(3, fc.constantFrom('running', 'storing')),
  during: fc.array(fc.record({ at: fc.integer({ min: 1, max: 6 }), step: fc.oneof(submit, change) }), { maxLength: 2 }),
});

const anyStep = fc.oneof(
  weighted(12, submit),
  weighted(3, change),
  weighted(14, poll),
  // For a while nothing fails, so that everything is delivered.
  weighted(1, step('calm', {})),
  // n8n is killed at the end of a poll, when it has stored a part of what the poll left. Then it starts again.
  weighted(
    6,
    step('crash', { trigger: place, stored: fc.constantFrom('all', 'workflow', 'execution', 'nothing'), fault }),
  ),
  // The workflow is published again, perhaps with another name, other forms or other poll times. Otherwise n8n leaves the trigger alone.
  weighted(
    7,
    step('publish', {
      after: fc.constantFrom(0, 0, 0, HOUR, 2 * DAY),
      trigger: place,
      name: orNot(1, fc.nat({ max: 3 })),
      isEdited: fc.boolean(),
      forms: orNot(1, fc.array(place, { minLength: 1, maxLength: 3 })),
      fault,
    }),
  ),
  // The same while a trigger polls; with a pause, the workflow is unpublished before.
  weighted(
    4,
    step('publish in a poll', {
      trigger: place,
      name: orNot(1, fc.nat({ max: 3 })),
      isEdited: fc.boolean(),
      pause: orNot(1, fc.constantFrom(0, 10 * SECOND, HOUR)),
      fault,
    }),
  ),
  // With Whole Workspace.
  weighted(
    5,
    step('form', { form: place, becomes: fc.constantFrom('added', 'added', 'removed', 'archived', 'restored') }),
  ),
  // The clock of n8n's computer is set to so many ms ahead.
  weighted(1, step('set clock', { skew: fc.constantFrom(-2 * HOUR, 0, 0, 90 * SECOND, 3 * HOUR) })),
);

export const schedules = fc.record({
  setting: fc.record({
    triggerOn: fc.constantFrom('one', 'several', 'allActive'),
    scheduler: fc.constantFrom('memory', 'durable', 'scheduler'),
    triggers: fc.constantFrom(1, 1, 2),
    forms: fc.integer({ min: 1, max: 4 }),
    maxSubmissions: fc.constantFrom(1_000, 1_000, 1, 2, 20),
    /** The most rows of a page. */
    pageCap: fc.constantFrom(100, 100, 25),
    latencyMs: fc.constantFrom(0, 50, 700),
    /** ms until `submissions_count` of a form follows its submissions. */
    countLagMs: fc.constantFrom(0, 0, 30 * SECOND),
  }),
  /** What happens before the first publication, and which of its requests fail. */
  past: fc.array(submit, { maxLength: 2 }),
  fault: orNot(15, fault),
  steps: fc.array(anyStep, { maxLength: 20, size: 'max' }),
});

export type Schedule = ValueOf<typeof schedules>;
export type Setting = Schedule['setting'];
export type Step = ValueOf<typeof anyStep>;
export type Poll = ValueOf<typeof poll>;
export type Fault = NonNullable<ValueOf<typeof fault>>;
