import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { join } from 'node:path';
import { startEmulator } from '../../emulator/index.ts';

interface Running {
  child: ChildProcessWithoutNullStreams;
  output(): string;
  /** Resolves with the exit code. */
  ended: Promise<number | null>;
}

function run(port: string): Running {
  const child = spawn(process.execPath, [join(__dirname, '../../emulator/main.ts')], {
    env: { ...process.env, EMULATOR_PORT: port },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { child, output: () => output, ended: new Promise((resolve) => child.once('close', resolve)) };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('node emulator/main.ts', () => {
  it('prints the credential and the forms, serves them, and ends on Ctrl-C', async () => {
    const { child, output, ended } = run('0');
    await until(() => output().includes('Ctrl-C') || child.exitCode !== null);
    const url = /listens on (http:\/\/127\.0\.0\.1:\d+)/.exec(output())?.[1] ?? '';
    const key = /API Key ([^,]+)/.exec(output())?.[1] ?? '';
    const response = await fetch(`${url}/api/external/v2/forms?status=active`, { headers: { 'X-Api-Key': key } });
    const { forms } = (await response.json()) as { forms: Array<{ id: string; title: string; attempt_url: string }> };
    expect(forms).toHaveLength(2);
    for (const { id, title, attempt_url } of forms)
      for (const text of [id, title, attempt_url]) expect(output()).toContain(text);
    child.kill('SIGINT');
    expect(await ended).toBe(0);
  }, 20_000);

  it('a port in use ends it with a message and exit code 1', async () => {
    const other = await startEmulator();
    const { port } = new URL(other.url);
    const { output, ended } = run(port);
    expect(await ended).toBe(1);
    expect(output()).toBe(`Port ${port} is in use. Set EMULATOR_PORT to another one.\n`);
    await other.close();
  }, 20_000);

  it('an invalid port ends it with a message and exit code 1', async () => {
    const { output, ended } = run('many');
    expect(await ended).toBe(1);
    expect(output()).toBe('EMULATOR_PORT is not a port: many\n');
  }, 20_000);
});
