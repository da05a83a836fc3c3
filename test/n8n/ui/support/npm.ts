import { writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';

import { packPackage } from '../../../../n8n-runner/communityPackage.ts';
import { runNpm } from '../../../../n8n-runner/process.ts';
import { startLocalRegistry } from '../../published/support/registry.ts';

/** Nothing listens there: what leads to another host fails at once. */
export const closedProxy = 'http://127.0.0.1:9';

/** Publishes this package, packed, to a registry on this machine, and writes an `npm` that knows no other. */
export async function startNpm() {
  const { home, url, env, close } = await startLocalRegistry();
  const { tarball } = await packPackage(home);
  await runNpm(['publish', tarball, '--ignore-scripts'], home, env);
  const path = process.env['PATH'] ?? '';
  // Without a license for another registry, n8n names npm's own in each command. The last one counts.
  const script = `#!/bin/sh\nPATH='${path}' exec npm "$@" --registry='${url}'\n`;
  await writeFile(join(home, 'npm'), script, { mode: 0o755 });
  return {
    /** The environment for a process that finds this npm first, and reaches no other host. */
    env: {
      PATH: [home, dirname(process.execPath), path].join(delimiter),
      HTTPS_PROXY: closedProxy,
      HTTP_PROXY: closedProxy,
      NO_PROXY: '127.0.0.1,localhost',
      npm_config_audit: 'false',
      npm_config_update_notifier: 'false',
    },
    stop: close,
  };
}
