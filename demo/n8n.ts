import { randomBytes } from 'node:crypto';

import { N8nClient, type Owner } from '../n8n-runner/client.ts';
import { packPackage } from '../n8n-runner/communityPackage.ts';
import { ensureN8n } from '../n8n-runner/install.ts';
import { type RunningN8n, launchN8n } from '../n8n-runner/launch.ts';

const editorPort = 5678;

/** An n8n with our package, and its owner logged in. */
export interface DemoN8n {
  n8n: RunningN8n;
  client: N8nClient;
  owner: Owner;
}

/** Installs n8n on first use, and starts one with this repository's package in it. */
export async function startDemoN8n(userFolder: string, say: (line: string) => void): Promise<DemoN8n> {
  const installation = await ensureN8n({ onProgress: say });
  const packed = await packPackage();
  try {
    say(`Starting n8n ${installation.version}`);
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const n8n = await launchN8n({
      installation,
      userFolder,
      tarball: packed.tarball,
      preferredPort: editorPort,
      env: { GENERIC_TIMEZONE: timezone },
    });
    if (n8n.port !== editorPort) say(`Port ${editorPort} is taken, so n8n is on port ${n8n.port}`);
    const client = new N8nClient(n8n.url);
    const owner = {
      email: 'owner@example.com',
      firstName: 'Demo',
      lastName: 'Owner',
      password: `Demo-1-${randomBytes(6).toString('hex')}`,
    };
    await client.ownerSetup(owner);
    return { n8n, client, owner };
  } finally {
    await packed.remove();
  }
}
