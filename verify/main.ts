/**
 * Runs `n8n-node lint`, the check of n8n's own tool, on a copy of the sources. In strict mode, which package.json asks
 * for, the tool requires its own ESLint configuration, so the copy has that one. Exits with 1 if there is any finding.
 */
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { x } from 'tinyexec';

import { ensureInstalled } from '../n8n-runner/install.ts';
import { withOurNodeFirst } from '../n8n-runner/process.ts';
import { repositoryFolder } from '../n8n-runner/paths.ts';

const modules = join(
  await ensureInstalled({
    name: 'n8n-node',
    megabytes: 500,
    dependencies: { '@n8n/node-cli': '0.48.3', typescript: '5.9.3' },
    overrides: {
      '@langchain/langgraph': '1.4.18',
      '@langchain/langgraph-sdk': '1.9.25',
      '@langchain/protocol': '0.0.16',
      'unrs-resolver': '1.12.2',
    },
  }),
  'node_modules',
);
const defaultConfig = join(modules, '@n8n/node-cli/dist/template/templates/shared/default/eslint.config.mjs');
const project = 'package.json nodes credentials icons tsconfig.json README.md LICENSE.md CHANGELOG.md'.split(' ');

const copy = mkdtempSync(join(tmpdir(), 'n8n-node-lint-'));
try {
  for (const name of project) cpSync(join(repositoryFolder, name), join(copy, name), { recursive: true });
  cpSync(defaultConfig, join(copy, 'eslint.config.mjs'));
  symlinkSync(modules, join(copy, 'node_modules'));
  const { stdout, stderr, exitCode } = await x(
    process.execPath,
    [join(modules, '@n8n/node-cli/bin/n8n-node.mjs'), 'lint'],
    {
      nodeOptions: { cwd: copy, env: { ...withOurNodeFirst(process.env), npm_config_local_prefix: undefined } },
    },
  );
  const output = stripVTControlCharacters(`${stdout}\n${stderr}`).replaceAll(`${copy}/`, '');
  console.log(output.trim());
  // ESLint also exits with 0 after warnings.
  const passed = exitCode === 0 && !/\d+ problems?/.test(output);
  console.log(passed ? '✓ n8n-node lint: no errors, no warnings' : '✗ n8n-node lint');
  process.exitCode = passed ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}
