import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { withOurNodeFirst } from './npm.ts';

export interface N8nEnvironment {
  userFolder: string;
  port: number;
  runnersPort: number;
  /** The modules of n8n to leave out. */
  disabledModules: string[];
  env?: Record<string, string>;
}

/** The environment of an isolated n8n: it listens on the loopback, calls no other host, and ignores the n8n settings of the user's shell. */
export function n8nEnvironment({
  userFolder,
  port,
  runnersPort,
  disabledModules,
  env,
}: N8nEnvironment): NodeJS.ProcessEnv {
  const excluded =
    /^(N8N_|DB_|EXECUTIONS_|QUEUE_|CREDENTIALS_|WEBHOOK_|GENERIC_|NEETOFORM_|NODE_OPTIONS$|NODE_ENV$|JEST_|npm_)/i;
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !excluded.test(name)));
  return {
    ...withOurNodeFirst(inherited),
    N8N_USER_FOLDER: userFolder,
    N8N_PORT: String(port),
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_RUNNERS_BROKER_PORT: String(runnersPort),
    N8N_SECURE_COOKIE: 'false',
    N8N_ENCRYPTION_KEY: encryptionKey(userFolder),
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_PERSONALIZATION_ENABLED: 'false',
    N8N_HIRING_BANNER_ENABLED: 'false',
    N8N_DYNAMIC_BANNERS_ENABLED: 'false',
    N8N_VERIFIED_PACKAGES_ENABLED: 'false',
    N8N_DISABLED_MODULES: disabledModules.join(','),
    ...env,
  };
}

/** The key is stored with the data it encrypts, so that a user folder can be used again. */
function encryptionKey(userFolder: string): string {
  const file = join(userFolder, 'encryption-key');
  if (!existsSync(file)) {
    mkdirSync(userFolder, { recursive: true });
    writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600 });
  }
  return readFileSync(file, 'utf8');
}
