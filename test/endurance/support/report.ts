import type { KillReport } from './kills.ts';

/** The outcome of a run of kills, as it is printed. */
export function describeKills(report: KillReport): string {
  const { mode, seed, kills, moments, accounts, executions, failedStarts, seconds } = report;
  const sum = (count: (account: KillReport['accounts'][number]) => number): number =>
    accounts.reduce((total, account) => total + count(account), 0);
  const interrupted = executions.filter(({ status }) => status !== 'success').length;
  const table = [
    ['mode', 'kills', 'submissions', 'executed once', 'lost by n8n', 'lost by us', 'repeated by n8n', 'repeated by us'],
    [
      mode,
      kills,
      sum(({ submitted }) => submitted),
      sum(({ once }) => once),
      sum(({ lostByN8n }) => lostByN8n.length),
      sum(({ lostByUs }) => lostByUs.length),
      sum(({ repeatedByN8n }) => repeatedByN8n.length),
      sum(({ repeatedByUs }) => repeatedByUs.length),
    ],
  ];
  const killed = Object.entries(moments).map(([moment, count]) => `${moment} ${count}`);
  return [
    '',
    ...table.map((row) => `| ${row.join(' | ')} |`),
    `seed ${seed}, ${seconds} s; ${accounts.length} workflows, ${executions.length} executions, ${interrupted} of them interrupted by a kill, ${failedStarts} starts broken off by n8n`,
    `killed: ${killed.join(', ')}`,
    '',
  ].join('\n');
}
