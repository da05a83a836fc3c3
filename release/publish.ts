/**
 * Publishes the package in the current folder, with provenance where GitHub runs it. A version with a suffix, such as
 * 1.2.0-beta.0, goes to the tag `beta`, which nobody installs by accident.
 */
import { readFileSync } from 'node:fs';

import { x } from 'tinyexec';

import { distTag } from './changelog.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const provenance = process.env['GITHUB_ACTIONS'] === 'true' ? ['--provenance'] : [];
const args = ['publish', '--access', 'public', '--ignore-scripts', '--tag', distTag(version), ...provenance];
const { exitCode } = await x('npm', args, { nodeOptions: { stdio: 'inherit' } });
process.exitCode = exitCode;
