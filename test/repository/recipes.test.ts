import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { x } from 'tinyexec';

import { findFiles, pathTo, readText } from './repositoryFiles';

/** What jest and tsc need to run a test of an operation, or of the trigger. */
const NEEDED = [
  'credentials',
  'emulator',
  'nodes',
  'test/{support,trigger}',
  'package.json',
  'jest.config.js',
  'tsconfig*.json',
];
/** Links to these save the time to copy, compile or install them. */
const LINKED = ['node_modules', '.cache'];

let copy: string;
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'repository-'));
  for (const path of findFiles(...NEEDED)) cpSync(pathTo(path), join(copy, path), { recursive: true });
  for (const path of LINKED) symlinkSync(pathTo(path), join(copy, path));
});
afterAll(() => rmSync(copy, { recursive: true }));

/** A step of a recipe: the first file that it names, and its code. */
interface Step {
  file: string;
  code: string;
}

/** The text of a section of CONTRIBUTING.md. */
function sectionOf(title: string): string {
  const [, text = ''] = readText('CONTRIBUTING.md').split(`\n## ${title}\n`);
  return text.split('\n## ', 1)[0] ?? '';
}

/** The steps of a section that have code. */
function stepsOf(title: string): Step[] {
  const withCode = /\*\*\d\. [^]*?`([\w./]+\.(?:ts|yaml))`[^]*?\n```\w+\n([^]*?)```\n/g;
  return [...sectionOf(title).matchAll(withCode)].map(([, file = '', code = '']) => ({ file, code }));
}

/** Changes a file of the copy. */
function edit(file: string, change: (text: string) => string): void {
  const path = join(copy, file);
  const before = readFileSync(path, 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(path, after);
}

function create({ file, code }: Step): void {
  mkdirSync(dirname(join(copy, file)), { recursive: true });
  writeFileSync(join(copy, file), code, { flag: 'wx' });
}

/** Runs a program of the copy's packages there. @returns what it printed, if it failed */
async function run(program: string, ...args: string[]): Promise<string | undefined> {
  const path = join(copy, 'node_modules', program);
  const { exitCode, stdout, stderr } = await x(process.execPath, [path, ...args], { nodeOptions: { cwd: copy } });
  return exitCode === 0 ? undefined : stdout + stderr;
}

it('an operation that is added as CONTRIBUTING says compiles, and passes the test that is shown, as does that of the trigger', async () => {
  const [operation, document, emulation, test, ...others] = stepsOf('Add an operation');
  if (!operation || !document || !emulation || !test) throw new Error('Four steps have code');
  expect(others).toEqual([]);
  create(operation);
  edit('nodes/NeetoForm/NeetoForm.node.ts', (text) =>
    `import { deleteForm } from './resources/form/delete';\n${text}`.replace(
      'createForm, ',
      'createForm, deleteForm, ',
    ),
  );
  // At the end of the path of one form, which another path follows.
  edit(document.file, (text) => text.replace(/\{form_id\}:\n[^]*?(?=\n *\/)/, `$&\n${document.code.trimEnd()}`));
  edit(emulation.file, (text) => text.replace(/^};$/m, `\n${emulation.code}$&`));
  create(test);
  const [, code = ''] = /```ts\n([^]*?)```/.exec(sectionOf('Test the trigger')) ?? [];
  const testOfTrigger = { file: 'test/trigger/shown.test.ts', code };
  create(testOfTrigger);
  const include = [operation, emulation, test, testOfTrigger].map(({ file }) => file);
  writeFileSync(join(copy, 'tsconfig.recipe.json'), JSON.stringify({ extends: './tsconfig.dev.json', include }));
  const [types, tests] = await Promise.all([
    run('typescript/bin/tsc', '-p', 'tsconfig.recipe.json'),
    run('jest/bin/jest.js', '--runInBand', test.file, testOfTrigger.file),
  ]);
  expect(types).toBeUndefined();
  expect(tests).toBeUndefined();
}, 60_000);
