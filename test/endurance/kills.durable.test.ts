import { seedOfRun } from './support/chance.ts';
import { type KillReport, killsTimeoutMs, runKills } from './support/kills.ts';
import { describeKills } from './support/report.ts';

describe('n8n killed in the middle of its polls, with durable cursors', () => {
  let report: KillReport;
  beforeAll(async () => {
    report = await runKills('durable', seedOfRun(), 22);
    process.stdout.write(describeKills(report));
  }, killsTimeoutMs);

  it('was killed at least 20 times', () => {
    expect(report.kills).toBeGreaterThanOrEqual(20);
  });

  it('starts the workflow for every submission', () => {
    expect(report.accounts.flatMap(({ lostByUs, lostByN8n }) => [...lostByUs, ...lostByN8n])).toEqual([]);
  });

  it('starts it for none twice', () => {
    expect(report.accounts.flatMap(({ repeatedByUs, repeatedByN8n }) => [...repeatedByUs, ...repeatedByN8n])).toEqual(
      [],
    );
    expect(report.accounts.flatMap(({ foreign }) => foreign)).toEqual([]);
  });
});
