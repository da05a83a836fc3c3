import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { x } from 'tinyexec';
import { parse } from 'yaml';

import { findFiles, readText } from './repositoryFiles';

interface Job {
  permissions?: Record<string, string>;
  steps: Array<{ uses?: string; run?: string; with?: Record<string, unknown> }>;
}

const files = findFiles('.github/workflows/*.yml');
const readWorkflow = (file: string) => parse(readText(file)) as { permissions: unknown; jobs: Record<string, Job> };

describe.each(files)('%s', (file) => {
  const { permissions, jobs } = readWorkflow(file);
  const mayPublish = ({ permissions: more }: Job) => more?.contents === 'write' || more?.['id-token'] === 'write';

  it('uses actions at a commit, with the version beside it', () => {
    const uses = readText(file).match(/uses: .+/g) ?? [];
    expect(uses.length).toBeGreaterThan(0);
    expect(uses.filter((line) => !/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it('keeps no token in a checkout, and runs no dependency in a job that may publish', () => {
    expect(permissions).toEqual({ contents: 'read' });
    const steps = Object.values(jobs).flatMap((job) => job.steps);
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([]);
    const publishing = Object.values(jobs).filter(mayPublish);
    const commands = publishing.flatMap((job) => job.steps.flatMap(({ run }) => run ?? []));
    expect(commands.filter((run) => /\bnpm (?:ci|install|test|run)\b|\bnpx\b|\bnode /.test(run))).toEqual([]);
  });
});

it('a push is checked beside Node.js 20, without which a test of signals is skipped', () => {
  const { check } = readWorkflow('.github/workflows/ci.yml').jobs;
  expect(check?.steps.find(({ uses }) => uses?.includes('/setup-node@'))?.with?.['node-version']).toBe(20);
  expect(check?.steps.map(({ run }) => run)).toContain('npm test');
});

describe('a release', () => {
  const { build, publish } = readWorkflow('.github/workflows/publish.yml').jobs;

  it('is published without a checkout, in an environment that can ask for an approval', () => {
    expect(publish).toMatchObject({ environment: expect.any(String) as unknown, permissions: { 'id-token': 'write' } });
    expect(publish?.steps.filter(({ uses }) => uses?.includes('/checkout@'))).toEqual([]);
  });

  it('is refused when the tagged commit is not on main', async () => {
    const check = build?.steps.find(({ run }) => run?.includes('main'))?.run ?? '';
    const commit = 'git -c user.name=Test -c user.email=test@example.com commit --quiet --allow-empty --message Test';
    const onMain = `git init --quiet --initial-branch main; ${commit}; git update-ref refs/remotes/origin/main HEAD`;
    const cwd = mkdtempSync(join(tmpdir(), 'tagged-'));
    const run = async (commands: string) => await x('bash', ['-e', '-c', commands], { nodeOptions: { cwd } });
    try {
      expect(await run(`${onMain}\n${check}`)).toMatchObject({ exitCode: 0 });
      expect(await run(`${commit}\n${check}`)).toMatchObject({ exitCode: 1 });
    } finally {
      rmSync(cwd, { recursive: true });
    }
  });
});
