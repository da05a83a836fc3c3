import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startEmulator } from '../../emulator/index.ts';

/** Starts `node emulator/main.ts`; `output` grows as it prints. */
function run(port: string) {
  const env = { ...process.env, EMULATOR_PORT: port };
  const child = spawn(process.execPath, [join(__dirname, '../../emulator/main.ts')], { env });
  const running = { child, output: '', ended: once(child, 'close') };
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (running.output += chunk.toString()));
  return running;
}

it('prints the credential and the forms, and ends on Ctrl-C', async () => {
  const running = run('0');
  while (!running.output.includes('Ctrl-C') && running.child.exitCode === null)
    await new Promise((resolve) => setTimeout(resolve, 20));
  const [, url = '', key = ''] = /listens on (http:\S+)[^]*API Key ([^,]+)/.exec(running.output) ?? [];
  const response = await fetch(`${url}/api/external/v2/forms?status=active`, { headers: { 'X-Api-Key': key } });
  const { forms } = (await response.json()) as { forms: Array<{ id: string; title: string; attempt_url: string }> };
  expect(forms).toHaveLength(2);
  for (const { id, title, attempt_url } of forms)
    for (const text of [id, title, attempt_url]) expect(running.output).toContain(text);
  running.child.kill('SIGINT');
  expect(await running.ended).toEqual([0, null]);
}, 20_000);

it('ends with a message when the port is in use', async () => {
  const other = await startEmulator();
  const { port } = new URL(other.url);
  const running = run(port);
  expect(await running.ended).toEqual([1, null]);
  expect(running.output).toBe(`Port ${port} is in use. Set EMULATOR_PORT to another one.\n`);
  await other.close();
}, 20_000);
