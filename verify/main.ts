/** Checks the sources by the rules of `n8n-node lint`. In strict mode (package.json), that tool accepts no other configuration. */
import { join } from 'node:path';

import { x } from 'tinyexec';

import { ensureInstalled } from '../n8n-runner/install.ts';
import { repositoryFolder } from '../n8n-runner/paths.ts';

const folder = await ensureInstalled({
  name: 'n8n-node',
  megabytes: 700,
  dependencies: { '@n8n/node-cli': '0.48.3', typescript: '5.9.3' },
  overrides: {
    '@langchain/langgraph': '1.4.18',
    '@langchain/langgraph-sdk': '1.9.25',
    '@langchain/protocol': '0.0.16',
  },
});
const modules = join(folder, 'node_modules');
const config = join(modules, '@n8n/node-cli/dist/template/templates/shared/default/eslint.config.mjs');
const sources = ['package.json', 'nodes', 'credentials'];
const args = [join(modules, 'eslint/bin/eslint.js'), '--config', config, '--max-warnings', '0', ...sources];
const { exitCode } = await x(process.execPath, args, { nodeOptions: { cwd: repositoryFolder, stdio: 'inherit' } });
console.log(exitCode === 0 ? '✓ n8n-node lint: no errors, no warnings' : '✗ n8n-node lint');
process.exitCode = exitCode === 0 ? 0 : 1;
