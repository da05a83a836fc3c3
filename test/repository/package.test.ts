import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { PackageDirectoryLoader } from 'n8n-core';

import { packPackage } from '../../n8n-runner/communityPackage.ts';
import { repositoryFolder } from '../../n8n-runner/paths.ts';
import { findFiles, pathTo, readText } from './repositoryFiles';

const sources = ['{credentials,nodes}/**/*.ts', 'nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json', 'icons/*.svg'];

let packed: Awaited<ReturnType<typeof packPackage>>;
let home: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'packed-'));
  const entry = pathTo('dist/nodes/NeetoForm/NeetoForm.node.js');
  const newest = Math.max(...findFiles(...sources).map((file) => statSync(pathTo(file)).mtimeMs));
  if (!existsSync(entry) || statSync(entry).mtimeMs < newest)
    throw new Error('dist is older than its sources: run `npm run build` first');
  packed = await packPackage(home);
}, 180_000);

afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('the published package', () => {
  it('contains what the build makes of the sources, README, LICENSE and package.json, and nothing else', () => {
    const built = findFiles(...sources).map((file) => `dist/${file.replace(/\.ts$/, '.js')}`);
    expect(packed.files).toEqual([...built, 'LICENSE.md', 'README.md', 'package.json'].sort());
  });

  it('takes at most 70 kB', () => {
    const kB = Math.round(packed.size / 1_000);
    if (kB > 70)
      throw new Error(`npm packs ${packed.size} bytes. Say in fewer words or lines what nodes/ and README.md say.`);
  });

  it('contains no path of a computer', () => {
    const files = packed.files.filter((name) => name.startsWith('dist/'));
    expect(files.filter((file) => /\/(?:home|root|work|tmp)\//.test(readText(file)))).toEqual([]);
  });
});

it("n8n's own loader finds both nodes and the credential, with icons that are there and codex files that n8n reads", async () => {
  process.env['N8N_LOG_LEVEL'] = 'silent';
  const loader = new PackageDirectoryLoader(repositoryFolder);
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
