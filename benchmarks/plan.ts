import type { ClientName } from './clients.ts';
import type { ExportPlan, Plan } from './measurements.ts';

const EVERYONE: ClientName[] = ['node', 'http100', 'http30', 'axios', 'undici'];
const NOT_30: ClientName[] = ['node', 'http100', 'axios', 'undici'];

const read = (submissions: number, latencyMs: number, clients = EVERYONE, rounds = 3): ExportPlan => ({
  submissions,
  latencyMs,
  clients,
  rounds,
});

/** Everything in the table and the charts. A client that would need minutes for one turn is left out. */
export const fullPlan: Plan = {
  exports: [
    ...[0, 20, 50, 100].flatMap((latencyMs) => [read(100, latencyMs), read(1_000, latencyMs)]),
    read(10_000, 0),
    read(10_000, 50),
    read(100_000, 0, NOT_30, 1),
  ],
  growth: [1_000, 10_000, 100_000],
  idlePolls: [1_000, 1_000_000],
  backlogs: [100, 1_000, 10_000],
  inputItems: [10, 100, 1_000],
  forms: [1, 10, 100, 500, 2_000],
  formPolls: 20,
  latencyMs: 50,
  rounds: 3,
};

/** One or two minutes, to see that everything works. */
export const quickPlan: Plan = {
  exports: [read(100, 0, EVERYONE, 2), read(1_000, 20, EVERYONE, 2)],
  growth: [100, 1_000],
  idlePolls: [1_000, 1_000_000],
  backlogs: [100, 1_000],
  inputItems: [10, 100],
  forms: [1, 20],
  formPolls: 3,
  latencyMs: 5,
  rounds: 2,
};
