import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Prepares a folder with settings: the developer's n8n stays out of the tests, and parallel workers do not race to write the file. */
export default function prepareInstance(): void {
  const userFolder = mkdtempSync(join(tmpdir(), 'n8n-engine-'));
  process.once('exit', () => rmSync(userFolder, { recursive: true, force: true }));
  const n8nFolder = join(userFolder, '.n8n');
  mkdirSync(n8nFolder);
  writeFileSync(join(n8nFolder, 'config'), JSON.stringify({ encryptionKey: 'only-for-tests' }), { mode: 0o600 });

  for (const name of Object.keys(process.env)) {
    if (name.startsWith('N8N_')) Reflect.deleteProperty(process.env, name);
  }
  Object.assign(process.env, {
    N8N_USER_FOLDER: userFolder,
    N8N_LOG_LEVEL: 'debug',
    // Tests read what is logged from the logger itself (log.ts).
    N8N_LOG_OUTPUT: 'none',
    // Another zone than that of the computer shows where a time without a zone is not read as UTC.
    TZ: 'Asia/Kolkata',
  });
}
