import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { PackageDirectoryLoader } from 'n8n-core';
import { x } from 'tinyexec';
import { z } from 'zod';

import { packPackage, unpack, type PackedPackage } from '../../n8n-runner/communityPackage.ts';

const root = resolve(__dirname, '../..');
const sources = [
  'credentials/**/*.ts',
  'nodes/**/*.ts',
  'nodes/**/*.node.json',
  'nodes/**/__schema__/**/*.json',
  'icons/*.svg',
];

const text = z.string().min(1);
const links = z.array(z.object({ url: z.string().url().startsWith('https://') })).nonempty();

/** What n8n requires of a package.json for verification. */
const manifestShape = z.object({
  name: z.string().regex(/^n8n-nodes-/),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  description: text,
  license: z.literal('MIT'),
  keywords: z.array(text).refine((keywords) => keywords.includes('n8n-community-node-package')),
  homepage: z.string().url(),
  author: z.object({ name: text, email: z.string().email() }),
  repository: z.object({ type: z.literal('git'), url: z.string().regex(/^git\+https:\/\/.+\.git$/) }),
  files: z.tuple([z.literal('dist')]),
  scripts: z.record(text),
  n8n: z.object({
    n8nNodesApiVersion: z.literal(1),
    strict: z.literal(true),
    credentials: z.array(text),
    nodes: z.array(text),
  }),
  peerDependencies: z.object({ 'n8n-workflow': z.literal('*') }).strict(),
  peerDependenciesMeta: z.object({ 'n8n-workflow': z.object({ optional: z.literal(true) }) }).strict(),
  dependencies: z.undefined(),
  optionalDependencies: z.undefined(),
  bundleDependencies: z.undefined(),
  bundledDependencies: z.undefined(),
  overrides: z.undefined(),
});

/** n8n ignores a codex file without `resources`. */
const codexShape = z.object({
  node: z.string().startsWith('n8n-nodes-neetoform.'),
  nodeVersion: z.string().regex(/^\d+\.\d+$/),
  codexVersion: z.literal('1.0'),
  categories: z.array(z.enum(['Communication', 'Data & Storage', 'Productivity', 'Marketing & Content'])).nonempty(),
  resources: z.object({ credentialDocumentation: links, primaryDocumentation: links }),
  alias: z.array(text).nonempty(),
});

let packed: PackedPackage;
let home: string;
/** The unpacked package, in a folder with n8n-workflow as the only other package. */
let folder: string;

beforeAll(async () => {
  const entry = join(root, 'dist/nodes/NeetoForm/NeetoForm.node.js');
  const newest = Math.max(...globSync(sources, { cwd: root }).map((file) => statSync(join(root, file)).mtimeMs));
  if (!existsSync(entry) || statSync(entry).mtimeMs < newest)
    throw new Error('dist is older than its sources: run `npm run build` first');
  packed = await packPackage();
  home = mkdtempSync(join(tmpdir(), 'packed-'));
  folder = join(home, 'node_modules/n8n-nodes-neetoform');
  mkdirSync(folder, { recursive: true });
  await unpack(packed.tarball, folder);
  symlinkSync(join(root, 'node_modules/n8n-workflow'), join(home, 'node_modules/n8n-workflow'));
}, 60_000);

afterAll(async () => {
  await packed.remove();
  rmSync(home, { recursive: true, force: true });
});

const readPacked = (path: string) => readFileSync(join(folder, path), 'utf8');
const readManifest = () => manifestShape.parse(JSON.parse(readPacked('package.json')));

describe('the published package', () => {
  it('contains what the build makes of the sources, README, LICENSE and package.json, and nothing else', () => {
    const built = globSync(sources, { cwd: root }).map((file) => `dist/${file.replace(/\.ts$/, '.js')}`);
    expect(packed.files).toEqual([...built, 'LICENSE.md', 'README.md', 'package.json'].sort());
  });

  it('has the package.json that n8n requires: no dependencies, an optional peer, no overrides', () => {
    expect(manifestShape.safeParse(JSON.parse(readPacked('package.json'))).error).toBeUndefined();
  });

  it('names files that it contains, and runs no script when it is installed', () => {
    const { n8n, scripts } = readManifest();
    expect(n8n).toMatchObject({
      credentials: ['dist/credentials/NeetoFormApi.credentials.js'],
      nodes: ['dist/nodes/NeetoForm/NeetoForm.node.js', 'dist/nodes/NeetoForm/NeetoFormTrigger.node.js'],
    });
    expect(packed.files).toEqual(expect.arrayContaining([...n8n.credentials, ...n8n.nodes]));
    expect(Object.keys(scripts).filter((name) => /^(pre|post)?(install|prepare|publish)|^prepare/.test(name))).toEqual(
      [],
    );
  });

  it('is smaller than 60 kB', () => {
    expect(packed.size).toBeLessThan(60_000);
  });

  it('contains no path of a computer', () => {
    const files = packed.files.filter((name) => name.startsWith('dist/'));
    expect(files.filter((file) => /\/(?:home|root|work|tmp)\//.test(readPacked(file)))).toEqual([]);
  });

  it.each(['NeetoForm', 'NeetoFormTrigger'])('has a complete codex file for %s', (name) => {
    const codex = codexShape.safeParse(JSON.parse(readPacked(`dist/nodes/NeetoForm/${name}.node.json`)));
    expect(codex.error).toBeUndefined();
    expect(codex.data?.node).toBe(`n8n-nodes-neetoform.${name.replace(/^N/, 'n')}`);
  });

  it.each(['neetoForm.svg', 'neetoForm.dark.svg'])('has a square icon without active content: %s', (name) => {
    const svg = readPacked(`dist/icons/${name}`);
    const [, width, height] = /viewBox="0 0 (\S+) (\S+)"/.exec(svg) ?? [];
    expect(width).toBeDefined();
    expect(height).toBe(width);
    expect(svg).not.toMatch(/<script|<image|\bon\w+=|href=/);
  });

  it.each([
    ['credentials/NeetoFormApi.credentials.js', 'NeetoFormApi'],
    ['nodes/NeetoForm/NeetoForm.node.js', 'NeetoForm'],
    ['nodes/NeetoForm/NeetoFormTrigger.node.js', 'NeetoFormTrigger'],
  ])('loads %s in a process that has only n8n-workflow', async (file, name) => {
    const script =
      'const made = new (require(process.argv[1])[process.argv[2]])(); console.log(made.description?.name ?? made.name)';
    const { stdout } = await x(process.execPath, ['-e', script, join(folder, 'dist', file), name], {
      throwOnError: true,
    });
    expect(stdout.trim()).toBe(name.replace(/^N/, 'n'));
  });
});

describe("n8n's own loader", () => {
  it('finds both nodes with codex and icons, and the credential', async () => {
    process.env['N8N_LOG_LEVEL'] = 'silent';
    const loader = new PackageDirectoryLoader(folder);
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
});

describe("n8n's scanner", () => {
  it.each([
    ['sources', () => [root]],
    ['packed tarball', () => [folder, '**/*.js', 'package.json']],
  ])(
    'reports nothing in the %s',
    async (_what, args) => {
      // With NODE_ENV=test the rules take every file for Test.node.ts.
      const { stdout } = await x(process.execPath, [join(root, 'verify/scan.mjs'), ...args()], {
        nodeOptions: { env: { NODE_ENV: 'production' } },
        throwOnError: true,
      });
      expect(JSON.parse(stdout)).toEqual({ passed: true, files: expect.any(Number) as unknown, findings: [] });
    },
    60_000,
  );
});
