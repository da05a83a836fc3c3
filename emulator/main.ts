import { sampleWorkspace, startEmulator, type Emulator } from './index.ts';

const DEFAULT_PORT = 4010;

async function main(): Promise<void> {
  const port = readPort(process.env['EMULATOR_PORT']);
  const emulator = await startEmulator({ port, seed: sampleWorkspace(Date.now()) });
  announce(emulator);

  const stop = (): void => {
    void emulator.close();
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

function readPort(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_PORT;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65535) throw new Error(`EMULATOR_PORT is not a port: ${text}`);
  return port;
}

function announce({ url, apiKey, workspace }: Emulator): void {
  console.log(`The local emulator listens on ${url} (API: ${url}/api/external/v2)`);
  console.log(`Credential in n8n: Subdomain acme, API Key ${apiKey}, Base URL ${url}`);
  console.log('Forms:');
  for (const { id, title, isArchived } of workspace.forms) {
    const page = isArchived ? 'archived' : `${url}/forms/${encodeURIComponent(id)}/attempt`;
    console.log(`  ${title}\n    id ${id}\n    ${page}`);
  }
  console.log('Press Ctrl-C to stop.');
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'EADDRINUSE') {
    return `Port ${process.env['EMULATOR_PORT'] ?? DEFAULT_PORT} is in use. Set EMULATOR_PORT to another one.`;
  }
  return error.message;
}

main().catch((error: unknown) => {
  console.error(explain(error));
  process.exitCode = 1;
});
