import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { PackageDirectoryLoader } from 'n8n-core';

import { expectedFiles, packPackage, root } from './packed';
import type { PackedPackage } from './packed';

interface Manifest {
  n8n: { credentials: string[]; nodes: string[] };
  scripts: Record<string, string>;
  peerDependencies: Record<string, string>;
  [field: string]: unknown;
}

let packed: PackedPackage;
let manifest: Manifest;
let remove: () => void = () => undefined;

beforeAll(() => {
  packed = packPackage();
  remove = packed.remove;
  manifest = JSON.parse(readFileSync(join(packed.folder, 'package.json'), 'utf8')) as Manifest;
}, 60_000);

afterAll(() => remove());

describe('the published package', () => {
  it('contains what the build makes of the sources, README, LICENSE and package.json, and nothing else', () => {
    expect(packed.files).toEqual(expectedFiles());
  });

  it('contains what it promises to n8n', () => {
    expect(manifest.n8n).toEqual({
      n8nNodesApiVersion: 1,
      strict: true,
      credentials: ['dist/credentials/NeetoFormApi.credentials.js'],
      nodes: ['dist/nodes/NeetoForm/NeetoForm.node.js', 'dist/nodes/NeetoForm/NeetoFormTrigger.node.js'],
    });
    expect(packed.files).toEqual(expect.arrayContaining([...manifest.n8n.credentials, ...manifest.n8n.nodes]));
  });

  it('is smaller than 60 kB', () => {
    expect(packed.tarballBytes).toBeLessThan(60_000);
  });

  it('brings no other package along and runs nothing when it is installed', () => {
    for (const field of [
      'dependencies',
      'optionalDependencies',
      'bundleDependencies',
      'bundledDependencies',
      'overrides',
    ]) {
      expect(manifest[field]).toBeUndefined();
    }
    expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
    expect(
      Object.keys(manifest.scripts).filter((name) => /^(pre|post)?(install|prepare|publish)|^prepare/.test(name)),
    ).toEqual([]);
  });

  it('speaks of no machine but the services it is for', () => {
    for (const file of packed.files.filter((name) => name.startsWith('dist/'))) {
      expect(readFileSync(join(packed.folder, file), 'utf8')).not.toMatch(/\/home\/|\/root\/|\/work\/|\/tmp\//);
    }
  });

  it.each(['NeetoFormApi', 'NeetoForm', 'NeetoFormTrigger'])(
    'gives %s to a fresh process that has n8n-workflow and nothing more',
    (name) => {
      const file = [...manifest.n8n.credentials, ...manifest.n8n.nodes].find((path) =>
        path.endsWith(`/${name}.${name === 'NeetoFormApi' ? 'credentials' : 'node'}.js`),
      );
      const script = `const made = new (require(process.argv[1])[process.argv[2]])(); console.log(JSON.stringify(made.description?.name ?? made.name));`;
      const said = execFileSync(process.execPath, ['-e', script, join(packed.folder, file ?? ''), name], {
        encoding: 'utf8',
      });
      expect(JSON.parse(said)).toBe(name.replace(/^N/, 'n'));
    },
  );
});

describe("n8n's own loader", () => {
  it('finds both nodes with codex and icons, and the credential', async () => {
    process.env.N8N_LOG_LEVEL = 'silent';
    const loader = new PackageDirectoryLoader(packed.folder);
    await loader.loadAll();
    const icon = {
      light: 'icons/n8n-nodes-neetoform/dist/icons/neetoForm.svg',
      dark: 'icons/n8n-nodes-neetoform/dist/icons/neetoForm.dark.svg',
    };
    const nodes = loader.types.nodes.filter(({ name }) => !name.endsWith('Tool'));
    expect(nodes.map(({ name }) => name).sort()).toEqual(['neetoForm', 'neetoFormTrigger']);
    for (const node of nodes) {
      expect(node).toMatchObject({
        iconUrl: icon,
        codex: {
          categories: expect.arrayContaining([expect.any(String)]) as unknown,
          resources: expect.objectContaining({ primaryDocumentation: expect.any(Array) as unknown }) as unknown,
        },
      });
    }
    expect(loader.types.credentials.map(({ name, iconUrl }) => ({ name, iconUrl }))).toEqual([
      { name: 'neetoFormApi', iconUrl: icon },
    ]);
  });

  it.each(['light', 'dark'])('is given an icon in %s that is a square drawing', (theme) => {
    const svg = readFileSync(join(packed.folder, `dist/icons/neetoForm${theme === 'dark' ? '.dark' : ''}.svg`), 'utf8');
    const [, width, height] = /viewBox="0 0 (\S+) (\S+)"/.exec(svg) ?? [];
    expect(width).toBeDefined();
    expect(height).toBe(width);
    expect(svg).not.toMatch(/<script|<image|href=/);
  });
});

describe("n8n's scanner", () => {
  // With NODE_ENV=test the rules believe that every file is called Test.node.ts.
  const env = { ...process.env, NODE_ENV: 'production' };
  const scan = (folder: string, ...patterns: string[]): unknown =>
    JSON.parse(
      execFileSync(process.execPath, [join(root, 'verify/scan.mjs'), folder, ...patterns], { encoding: 'utf8', env }),
    );

  it.each([
    ['sources', () => scan(root)],
    ['packed tarball', () => scan(packed.folder, '**/*.js', 'package.json')],
  ])(
    'finds nothing to object to in the %s',
    (_what, result) => {
      expect(result()).toEqual({ passed: true, files: expect.any(Number) as unknown, findings: [] });
    },
    60_000,
  );
});
