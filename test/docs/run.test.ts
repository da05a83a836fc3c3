import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openLineLog } from '../../n8n-runner/lineLog.ts';
import type { Planned } from '../../verify/docs/plan.ts';
import { run } from '../../verify/docs/run.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const outcomeOf = async (runs: string, more: Partial<Planned> = {}) => {
  const log = openLineLog(join(folder, 'run.log'));
  const { seconds, ...outcome } = await run(
    { command: runs, toldBy: [], runs, where: 'clone', minutes: 1, ...more },
    { cwd: folder, clone: folder, log },
  );
  expect(seconds).toBeLessThan(30);
  return { ...outcome, said: log.lines };
};

describe('a documented command', () => {
  it('is done when it ends well', async () => {
    expect(await outcomeOf('echo "$CLONE"')).toEqual({ end: 'done', said: [folder] });
  });

  it('is not done when it ends badly', async () => {
    expect(await outcomeOf('echo oh; exit 3')).toEqual({ end: 'failed', problem: 'ended with 3', said: ['oh'] });
  });

  it('is not done when there is no such command', async () => {
    expect(await outcomeOf('nowhere-to-be-found')).toMatchObject({ problem: 'ended with 127' });
  });

  it('gets no more time than it is given, nor does what it has started', async () => {
    expect(await outcomeOf('sleep 60 & sleep 60', { minutes: 0.005 })).toMatchObject({
      end: 'too long',
      problem: 'took longer than 0.005 minutes',
    });
  });

  it('that goes on is stopped when it is up', async () => {
    expect(await outcomeOf('echo ready; sleep 60', { up: /^ready$/ })).toEqual({
      end: 'up, and stopped',
      said: ['ready'],
    });
  });

  it('that should go on is not done when it ends by itself', async () => {
    expect(await outcomeOf('echo steady', { up: /^ready$/ })).toEqual({
      end: 'not up',
      problem: 'ended with 0 before it was up',
      said: ['steady'],
    });
  });

  it('does not see that npm runs it', async () => {
    process.env['npm_lifecycle_event'] = 'test';
    const { said } = await outcomeOf('echo "[$npm_lifecycle_event]"; echo "$PATH"; echo "[$EMULATOR_PORT]"', {
      env: { EMULATOR_PORT: '0' },
    });
    expect(said).toEqual(['[]', expect.not.stringContaining('node_modules/.bin'), '[0]']);
  });
});
