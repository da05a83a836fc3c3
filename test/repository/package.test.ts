import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { PackageDirectoryLoader } from 'n8n-core';
import { x } from 'tinyexec';

import { packPackage, unpack, type PackedPackage } from '../../n8n-runner/communityPackage.ts';

const root = resolve(__dirname, '../..');
const sources = [
  'credentials/**/*.ts',
  'nodes/**/*.ts',
  'nodes/**/*.node.json',
  'nodes/**/__schema__/**/*.json',
  'icons/*.svg',
];

let packed: PackedPackage;
let home: string;
/** The unpacked package, in a folder with n8n-workflow as the only other package. */
let folder: string;

beforeAll(async () => {
  const entry = join(root, 'dist/nodes/NeetoForm/NeetoForm.node.js');
  const newest = Math.max(...globSync(sources, { cwd: root }).map((file) => statSync(join(root, file)).mtimeMs));
  if (!existsSync(entry) || statSync(entry).mtimeMs < newest)
    throw new Error('dist is older than its sources: run `npm run build` first');
  home = mkdtempSync(join(tmpdir(), 'packed-'));
  packed = await packPackage(home);
  folder = join(home, 'node_modules/n8n-nodes-neetoform');
  await unpack(packed.tarball, folder);
  symlinkSync(join(root, 'node_modules/n8n-workflow'), join(home, 'node_modules/n8n-workflow'));
}, 60_000);

afterAll(() => rmSync(home, { recursive: true, force: true }));

const readPacked = (path: string) => readFileSync(join(folder, path), 'utf8');

describe('the published package', () => {
  it('contains what the build makes of the sources, README, LICENSE and package.json, and nothing else', () => {
    const built = globSync(sources, { cwd: root }).map((file) => `dist/${file.replace(/\.ts$/, '.js')}`);
    expect(packed.files).toEqual([...built, 'LICENSE.md', 'README.md', 'package.json'].sort());
  });

  it('is smaller than 75 kB, although its code is as readable as the compiler writes it', () => {
    expect(packed.size).toBeLessThan(75_000);
  });

  it('contains no path of a computer', () => {
    const files = packed.files.filter((name) => name.startsWith('dist/'));
    expect(files.filter((file) => /\/(?:home|root|work|tmp)\//.test(readPacked(file)))).toEqual([]);
  });
});

describe.each([
  ['neetoForm.svg', '#ffffff'],
  ['neetoForm.dark.svg', '#2b2b2b'],
])('the icon %s', (name, background) => {
  const svg = readFileSync(join(root, 'icons', name), 'utf8');

  it('is square, without active content', () => {
    const [, width, height] = /viewBox="0 0 (\S+) (\S+)"/.exec(svg) ?? [];
    expect(width).toBeDefined();
    expect(height).toBe(width);
    expect(svg).not.toMatch(/<script|<image|\bon\w+=|href=/);
  });

  // n8n's reviewers look at it, and the published lint does not know it.
  it(`stands out from the background ${background} by 3:1`, () => {
    // The first shape is the outline; the others lie on it.
    const [outline = ''] = /#[0-9a-f]{6}\b/i.exec(svg) ?? [];
    const [low = 0, high = 0] = [luminance(outline), luminance(background)].sort((a, b) => a - b);
    expect((high + 0.05) / (low + 0.05)).toBeGreaterThanOrEqual(3);
  });
});

/** The relative luminance of a color such as #0ea5e9, by WCAG. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

it("n8n's own loader finds both nodes with codex and icons, and the credential", async () => {
  process.env['N8N_LOG_LEVEL'] = 'silent';
  const loader = new PackageDirectoryLoader(folder);
  await loader.loadAll();
  const { types } = loader;
  const iconUrl = {
    light: 'icons/n8n-nodes-neetoform/dist/icons/neetoForm.svg',
    dark: 'icons/n8n-nodes-neetoform/dist/icons/neetoForm.dark.svg',
  };
  // n8n ignores a codex file without `resources`.
  const primaryDocumentation: unknown = [{ url: expect.stringMatching(/^https:/) as unknown }];
  const codex: unknown = expect.objectContaining({
    categories: ['Communication', 'Productivity'],
    resources: expect.objectContaining({ primaryDocumentation }) as unknown,
  });
  const nodes = types.nodes.filter(({ name }) => !name.endsWith('Tool'));
  expect(nodes.map((node) => [node.name, node.iconUrl, node.codex]).sort()).toEqual([
    ['neetoForm', iconUrl, codex],
    ['neetoFormTrigger', iconUrl, codex],
  ]);
  expect(types.credentials.map((credential) => [credential.name, credential.iconUrl])).toEqual([
    ['neetoFormApi', iconUrl],
  ]);
});

describe("n8n's scanner", () => {
  const config = join(root, 'verify/scanner.config.mjs');
  const options = ['--config', config, '--no-inline-config', '--max-warnings', '0'];

  it.each([
    ['sources', () => root, ['package.json', '{nodes,credentials}/**/*.{js,ts,json}']],
    ['packed files', () => folder, ['package.json', '**/*.js']],
  ])(
    'reports nothing in the %s, warnings included',
    async (_what, cwd, patterns) => {
      const { stdout, stderr } = await x(
        process.execPath,
        [join(root, 'node_modules/eslint/bin/eslint.js'), ...options, ...patterns],
        // With NODE_ENV=test the rules take every file for Test.node.ts.
        { nodeOptions: { cwd: cwd(), env: { NODE_ENV: 'production' } } },
      );
      expect(`${stdout}${stderr}`).toBe('');
    },
    60_000,
  );
});
