import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { PackageDirectoryLoader } from 'n8n-core';

import { packPackage } from '../../n8n-runner/communityPackage.ts';

const root = resolve(__dirname, '../..');
const sources = ['{credentials,nodes}/**/*.ts', 'nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json', 'icons/*.svg'];

let packed: Awaited<ReturnType<typeof packPackage>>;
let home: string;

beforeAll(async () => {
  const entry = join(root, 'dist/nodes/NeetoForm/NeetoForm.node.js');
  const newest = Math.max(...globSync(sources, { cwd: root }).map((file) => statSync(join(root, file)).mtimeMs));
  if (!existsSync(entry) || statSync(entry).mtimeMs < newest)
    throw new Error('dist is older than its sources: run `npm run build` first');
  home = mkdtempSync(join(tmpdir(), 'packed-'));
  packed = await packPackage(home);
}, 180_000);

afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('the published package', () => {
  it('contains what the build makes of the sources, README, LICENSE and package.json, and nothing else', () => {
    const built = globSync(sources, { cwd: root }).map((file) => `dist/${file.replace(/\.ts$/, '.js')}`);
    expect(packed.files).toEqual([...built, 'LICENSE.md', 'README.md', 'package.json'].sort());
  });

  it('takes at most 70 kB', () => {
    expect(Math.round(packed.size / 1_000)).toBeLessThanOrEqual(70);
  });

  it('contains no path of a computer', () => {
    const files = packed.files.filter((name) => name.startsWith('dist/'));
    expect(files.filter((file) => /\/(?:home|root|work|tmp)\//.test(readFileSync(join(root, file), 'utf8')))).toEqual(
      [],
    );
  });
});

it("n8n's own loader finds both nodes and the credential, with icons that are there and codex files that n8n reads", async () => {
  process.env['N8N_LOG_LEVEL'] = 'silent';
  const loader = new PackageDirectoryLoader(root);
  await loader.loadAll();
  const nodes = loader.types.nodes.filter(({ name }) => !name.endsWith('Tool'));
  expect(nodes.map(({ name }) => name).sort()).toEqual(['neetoForm', 'neetoFormTrigger']);
  expect(loader.types.credentials.map(({ name }) => name)).toEqual(['neetoFormApi']);
  // n8n ignores a codex file without `resources`.
  expect(nodes.filter(({ codex }) => codex?.resources?.primaryDocumentation?.[0] === undefined)).toEqual([]);
  const icons = [...nodes, ...loader.types.credentials].flatMap(({ iconUrl }) => Object.values(iconUrl ?? {}));
  expect(icons).toHaveLength(6);
  const paths = icons.map((url) => url.replace('icons/n8n-nodes-neetoform/', ''));
  expect(paths.filter((path) => !packed.files.includes(path))).toEqual([]);
});
