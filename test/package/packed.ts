import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const root = resolve(__dirname, '../..');

const sources = ['credentials/**/*.ts', 'nodes/**/*.ts', 'nodes/**/*.json', 'icons/*.svg'];

/** What the build makes of each source, and what npm adds by itself. */
export function expectedFiles(): string[] {
  const built = globSync(sources, { cwd: root }).map((file) => `dist/${file.replace(/\.ts$/, '.js')}`);
  return [...built, 'LICENSE.md', 'README.md', 'package.json'].sort();
}

export interface PackedPackage {
  files: string[];
  tarballBytes: number;
  /** The unpacked tarball, in a folder with nothing but n8n-workflow in its reach. */
  folder: string;
  remove: () => void;
}

export function packPackage(): PackedPackage {
  requireFreshBuild();
  const home = mkdtempSync(join(tmpdir(), 'packed-'));
  const modules = join(home, 'node_modules');
  const folder = join(modules, 'n8n-nodes-neetoform');
  const report = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', home], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [packed] = JSON.parse(report) as Array<{ filename: string; size: number; files: Array<{ path: string }> }>;
  if (packed === undefined) throw new Error('npm pack made no package');
  execFileSync('mkdir', ['-p', folder]);
  execFileSync('tar', ['-xzf', join(home, packed.filename), '-C', folder, '--strip-components=1']);
  execFileSync('ln', ['-s', join(root, 'node_modules/n8n-workflow'), join(modules, 'n8n-workflow')]);
  return {
    files: packed.files.map(({ path }) => path).sort(),
    tarballBytes: packed.size,
    folder,
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** A test of an old `dist` would promise what is not there. */
function requireFreshBuild(): void {
  const entry = join(root, 'dist/nodes/NeetoForm/NeetoForm.node.js');
  const newest = Math.max(...globSync(sources, { cwd: root }).map((file) => statSync(join(root, file)).mtimeMs));
  if (!existsSync(entry) || statSync(entry).mtimeMs < newest)
    throw new Error('dist is older than its sources: run `npm run build` first');
}
