import { sampleWorkspace, startEmulator } from './index.ts';

const { EMULATOR_PORT: port = '4010' } = process.env;
const emulator = await startEmulator({ port: Number(port), seed: sampleWorkspace(Date.now()) });
const { url, apiKey, workspace } = emulator;
// Before anything is printed: a user who reads the last line may press Ctrl-C at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void emulator.close());
console.log(`The local emulator listens on ${url} (API: ${url}/api/external/v2)`);
console.log(`Credential in n8n: Subdomain acme, API Key ${apiKey}, Base URL ${url}`);
console.log('Forms:');
for (const { id, title, isArchived } of workspace.forms) {
  const page = isArchived ? 'archived' : `${url}/forms/${encodeURIComponent(id)}/attempt`;
  console.log(`  ${title}\n    id ${id}\n    ${page}`);
}
console.log('Press Ctrl-C to stop.');
