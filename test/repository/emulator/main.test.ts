import { join } from 'node:path';
import { x } from 'tinyexec';

it('prints the credential and the forms, and ends on Ctrl-C', async () => {
  const program = join(__dirname, '../../../emulator/main.ts');
  const running = x(process.execPath, [program], { nodeOptions: { env: { EMULATOR_PORT: '0' } } });
  let output = '';
  for await (const line of running) {
    output += `${line}\n`;
    if (line.includes('Ctrl-C')) running.kill('SIGINT');
  }
  expect(output).toMatch(/API Key emulator-key, Base URL http:\S+\n[^]*\n +Contact us\n +id \S+\n +http:\S+attempt\n/);
  expect(running.exitCode).toBe(0);
}, 20_000);
