import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';

const root = join(__dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };

interface Workflow {
  permissions: unknown;
  jobs: Record<string, { permissions?: object; steps: Array<{ uses?: string; run?: string }> }>;
}

const files = globSync('.github/workflows/*.yml', { cwd: root });

describe.each(files)('%s', (file) => {
  const text = readFileSync(join(root, file), 'utf8');
  const { permissions, jobs } = parse(text) as Workflow;

  it('uses actions at a commit, with the version beside it', () => {
    const uses = text.match(/uses: .+/g) ?? [];
    expect(uses.length).toBeGreaterThan(0);
    expect(uses.filter((line) => !/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it('can only read, but for the job that publishes and the one that creates the release', () => {
    expect(permissions).toEqual({ contents: 'read' });
    const more = Object.entries(jobs).flatMap(([name, job]) => (job.permissions ? [[name, job.permissions]] : []));
    const expected = { publish: { contents: 'read', 'id-token': 'write' }, release: { contents: 'write' } };
    expect(Object.fromEntries(more)).toEqual(file.includes('publish') ? expected : {});
  });

  it('runs scripts that exist', () => {
    const commands = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    const named = commands.flatMap((run) => [...run.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name]) => name));
    expect(named.filter((name) => !Object.keys(scripts).includes(name ?? ''))).toEqual([]);
    const programs = commands.flatMap((run) => run.match(/(?<=\bnode )[\w./]+\.[cm]?[jt]s/g) ?? []);
    expect(programs.filter((path) => globSync(path, { cwd: root }).length === 0)).toEqual([]);
  });
});

it("package.json has the scripts that n8n's own tool gives a package", () => {
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['build', 'dev', 'lint', 'lint:fix', 'release']));
});
