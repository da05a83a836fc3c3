import type { ClientName } from './clients.ts';
import type { ExportPlan, Plan } from './measurements.ts';

const CLIENTS: ClientName[] = ['node', 'http100', 'http30', 'undici'];

const read = (submissions: number, latencyMs: number, clients = CLIENTS, rounds = 3): ExportPlan => ({
  submissions,
  latencyMs,
  clients,
  rounds,
});

/** Everything in the table and the charts. A client that would need minutes for one turn is left out. */
export const fullPlan: Plan = {
  exports: [
    ...[0, 50].flatMap((latencyMs) => [100, 1_000, 10_000].map((submissions) => read(submissions, latencyMs))),
    read(100_000, 0, ['node', 'http100', 'undici'], 1),
  ],
  growth: [1_000, 10_000, 100_000],
  idlePolls: [1_000, 1_000_000],
  backlogs: [100, 1_000, 10_000],
  forms: [1, 10, 100, 500, 2_000],
  formPolls: 20,
  latencyMs: 50,
  rounds: 3,
};

/** One or two minutes, to see that everything works. */
export const quickPlan: Plan = {
  exports: [read(100, 0, CLIENTS, 2), read(1_000, 20, CLIENTS, 2)],
  growth: [100, 1_000],
  idlePolls: [1_000, 1_000_000],
  backlogs: [100, 1_000],
  forms: [1, 20],
  formPolls: 3,
  latencyMs: 5,
  rounds: 2,
};
