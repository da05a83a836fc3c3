import { chmod, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';

import { version } from '../../../../package.json';
import { packPackage } from '../../../../n8n-runner/communityPackage.ts';

/** Nothing listens there: what leads to another host fails at once. */
export const closedProxy = 'http://127.0.0.1:9';

/**
 * Writes an `npm` that has this package, packed, and reaches no host.
 *
 * @param folder an empty folder for it, and for npm's cache
 * @returns the environment for a process that finds this npm first
 */
export async function npmWithoutNetwork(folder: string): Promise<Record<string, string>> {
  const { tarball } = await packPackage(folder);
  const path = process.env['PATH'] ?? '';
  const npm = join(folder, 'npm');
  const script = `#!/bin/sh
# What n8n asks about a package that it installs or lists.
case $1 in
  view) echo '"${version}"'; exit;;
  outdated) echo '{}'; exit;;
esac
for argument; do
  shift
  case $argument in n8n-nodes-neetoform*) argument='${tarball}';; esac
  set -- "$@" "$argument"
done
PATH='${path}' exec npm "$@"
`;
  await writeFile(npm, script);
  await chmod(npm, 0o755);
  return {
    PATH: [folder, dirname(process.execPath), path].join(delimiter),
    HTTPS_PROXY: closedProxy,
    HTTP_PROXY: closedProxy,
    NO_PROXY: '127.0.0.1,localhost',
    npm_config_cache: join(folder, 'npm-cache'),
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
  };
}
