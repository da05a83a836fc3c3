import { type ContenderName, contenderNames } from './contenders/contender.ts';

/** One comparison: who fetches how many submissions from a service that takes how long for each answer. */
export interface Cell {
  rows: number;
  latencyMs: number;
  contenders: readonly ContenderName[];
  /** How often each of them fetches, in turns. */
  rounds: number;
}

/** What a run measures. */
export interface Plan {
  name: 'full' | 'quick';
  cells: Cell[];
  /** Forms that are fetched in turns, to tell how the time per submission grows. */
  growth: { rows: number[]; latenciesMs: number[] };
  idlePolls: { rows: number[]; pollsPerRound: number; rounds: number };
  backlogs: number[];
  inputItems: { items: number[]; latencyMs: number };
  loads: number;
  /** How often everything else is measured, in turns. */
  rounds: number;
}

const FEWEST_ROUNDS = 5;
/** What is over quickly is measured more often. */
const MORE_ROUNDS = 9;

const without = (...names: ContenderName[]): ContenderName[] => contenderNames.filter((name) => !names.includes(name));

/** Everything that the README tells of; about twenty minutes. Who would need minutes for one fetch is left out of that cell. */
export const fullPlan: Plan = {
  name: 'full',
  rounds: FEWEST_ROUNDS,
  cells: [
    ...[0, 20, 50, 100].flatMap((latencyMs) =>
      [100, 1_000].map((rows) => ({ rows, latencyMs, contenders: contenderNames, rounds: MORE_ROUNDS })),
    ),
    { rows: 10_000, latencyMs: 0, contenders: contenderNames, rounds: MORE_ROUNDS },
    { rows: 10_000, latencyMs: 20, contenders: contenderNames, rounds: FEWEST_ROUNDS },
    { rows: 10_000, latencyMs: 50, contenders: contenderNames, rounds: FEWEST_ROUNDS },
    { rows: 10_000, latencyMs: 100, contenders: without('httpDefault'), rounds: FEWEST_ROUNDS },
    { rows: 100_000, latencyMs: 0, contenders: without('httpDefault'), rounds: FEWEST_ROUNDS },
    { rows: 100_000, latencyMs: 20, contenders: ['ours', 'bare'], rounds: FEWEST_ROUNDS },
    { rows: 100_000, latencyMs: 50, contenders: ['ours', 'bare'], rounds: FEWEST_ROUNDS },
  ],
  growth: { rows: [1_000, 10_000, 100_000], latenciesMs: [0, 50] },
  idlePolls: { rows: [1_000, 10_000, 100_000, 1_000_000], pollsPerRound: 50, rounds: MORE_ROUNDS },
  backlogs: [100, 1_000, 10_000, 100_000],
  inputItems: { items: [10, 100, 1_000], latencyMs: 20 },
  loads: 11,
};

/** A minute, to see that everything works; its figures say little. */
export const quickPlan: Plan = {
  name: 'quick',
  rounds: 3,
  cells: [
    { rows: 100, latencyMs: 0, contenders: contenderNames, rounds: 3 },
    { rows: 1_000, latencyMs: 0, contenders: contenderNames, rounds: 3 },
    { rows: 1_000, latencyMs: 20, contenders: without('httpDefault'), rounds: 3 },
  ],
  growth: { rows: [1_000, 10_000], latenciesMs: [0] },
  idlePolls: { rows: [1_000, 1_000_000], pollsPerRound: 20, rounds: 3 },
  backlogs: [100, 1_000],
  inputItems: { items: [10, 100], latencyMs: 20 },
  loads: 3,
};
