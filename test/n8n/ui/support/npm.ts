import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';

import { packPackage } from '../../../../n8n-runner/communityPackage.ts';
import { runNpm } from '../../../../n8n-runner/process.ts';
import { startLocalRegistry } from '../../published/support/registry.ts';

/** Nothing listens there: what leads to another host fails at once. */
export const closedProxy = 'http://127.0.0.1:9';

/**
 * Publishes this package, packed, to a registry on this machine, and writes an `npm` that knows no other.
 *
 * @param folder an empty folder for it, and for npm's cache
 */
export async function startNpm(folder: string) {
  const registry = await startLocalRegistry();
  const { tarball } = await packPackage(folder);
  await runNpm(['publish', tarball, '--ignore-scripts'], folder, registry.env);
  const path = process.env['PATH'] ?? '';
  const bin = join(folder, 'bin');
  await mkdir(bin);
  // Without a license for another registry, n8n names npm's own in each command. The last one counts.
  const script = `#!/bin/sh\nPATH='${path}' exec npm "$@" --registry='${registry.url}'\n`;
  await writeFile(join(bin, 'npm'), script);
  await chmod(join(bin, 'npm'), 0o755);
  return {
    /** The environment for a process that finds this npm first, and reaches no other host. */
    env: {
      PATH: [bin, dirname(process.execPath), path].join(delimiter),
      HTTPS_PROXY: closedProxy,
      HTTP_PROXY: closedProxy,
      NO_PROXY: '127.0.0.1,localhost',
      npm_config_cache: join(folder, 'npm-cache'),
      npm_config_audit: 'false',
      npm_config_update_notifier: 'false',
    },
    stop: registry.close,
  };
}
