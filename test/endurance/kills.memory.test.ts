import { seedOfRun } from './support/chance.ts';
import { type KillReport, killsTimeoutMs, runKills } from './support/kills.ts';
import { describeKills } from './support/report.ts';

describe('n8n killed in the middle of its polls, with its poll triggers in memory', () => {
  let report: KillReport;
  beforeAll(async () => {
    report = await runKills('memory', seedOfRun(), 22);
    process.stdout.write(describeKills(report));
  }, killsTimeoutMs);

  it('was killed at least 20 times', () => {
    expect(report.kills).toBeGreaterThanOrEqual(20);
  });

  it('starts the workflow for every submission but those that n8n dropped after it had saved the trigger’s place', () => {
    expect(report.accounts.flatMap(({ lostByUs }) => lostByUs)).toEqual([]);
  });

  it('starts it for none twice', () => {
    expect(report.accounts.flatMap(({ repeatedByUs }) => repeatedByUs)).toEqual([]);
    expect(report.accounts.flatMap(({ foreign }) => foreign)).toEqual([]);
  });
});
