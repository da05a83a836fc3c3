/**
 * `npm run release -- minor` prepares a release in this repository: the version, the heading in the changelog, a commit and a
 * tag. Pushing the tag starts the workflow that publishes. Takes what `npm version` takes: patch, minor, major, prerelease or
 * a version. A prerelease is a beta.
 */
import { readFileSync, writeFileSync } from 'node:fs';

import { x } from 'tinyexec';

import { startVersion } from './changelog.ts';

const CHANGELOG = 'CHANGELOG.md';

async function run(command: string, args: string[]): Promise<string> {
  const { stdout } = await x(command, args, { throwOnError: true });
  return stdout.trim();
}

async function release(increment: string): Promise<string> {
  if ((await run('git', ['status', '--porcelain'])) !== '')
    throw new Error('There are changes that are not committed.');
  const changelog = readFileSync(CHANGELOG, 'utf8');
  try {
    const options = ['--no-git-tag-version', '--ignore-scripts', '--preid', 'beta'];
    const tag = await run('npm', ['version', increment, ...options]);
    const date = new Date().toISOString().slice(0, 10);
    writeFileSync(CHANGELOG, startVersion(changelog, tag.replace(/^v/, ''), date));
    if ((await run('git', ['tag', '--list', tag])) !== '') throw new Error(`There is a tag ${tag} already.`);
    await run('git', ['commit', '--all', '--message', `Release ${tag.replace(/^v/, '')}`]);
    await run('git', ['tag', '--annotate', tag, '--message', tag]);
    return tag;
  } catch (error) {
    // Nothing was uncommitted before, so everything that is now came from here.
    await run('git', ['restore', '.']);
    throw error;
  }
}

const [increment] = process.argv.slice(2);
try {
  if (increment === undefined)
    throw new Error('Say what to release: npm run release -- patch, minor, major or prerelease.');
  const tag = await release(increment);
  console.log(
    `${tag} is committed and tagged. Look at it with \`git show\`, then publish it with \`git push --follow-tags\`.`,
  );
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
