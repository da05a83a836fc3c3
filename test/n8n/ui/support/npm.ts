import { writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';

import { startLocalRegistry } from '../../published/support/registry.ts';

/** Nothing listens there: what leads to another host fails at once. */
export const closedProxy = 'http://127.0.0.1:9';

/** Writes an `npm` that knows no registry but one on this machine, which has this package. */
export async function startNpm() {
  const { home, url, close } = await startLocalRegistry();
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
