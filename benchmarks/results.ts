import type { CellResult } from './measure/contest.ts';
import type { Growth } from './measure/growth.ts';
import type { InputItems } from './measure/inputItems.ts';
import type { Backlog, IdlePoll } from './measure/polls.ts';
import type { Weight } from './measure/weight.ts';

/** With what it was measured. */
export interface Circumstances {
  plan: 'full' | 'quick';
  rounds: number;
  node: string;
  n8n: string;
  processors: number;
  /** Processes that wanted a processor when the run began: above none, other work took part. */
  loadBefore: number;
  minutes: number;
}

/** A part of the plan that did not come to its end. */
export interface Failure {
  part: string;
  reason: string;
}

/** All that a run measured. Times stand here as ratios: milliseconds of one machine say nothing on another. */
export interface Results {
  circumstances: Circumstances;
  contest: CellResult[];
  growth: Growth[];
  idlePolls: IdlePoll[];
  backlogs: Backlog[];
  inputItems: InputItems[];
  /** Undefined as long as it is not measured. */
  weight: Weight | undefined;
  /** What is missing, and why. */
  failures: Failure[];
}
