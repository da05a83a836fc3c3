import { join } from 'node:path';
import { x } from 'tinyexec';

it('prints the credential and the forms, and ends on Ctrl-C', async () => {
  const program = join(__dirname, '../../../emulator/main.ts');
  const running = x(process.execPath, [program], { nodeOptions: { env: { EMULATOR_PORT: '0' } } });
  let output = '';
  for await (const line of running) {
    output += `${line}\n`;
    if (!line.includes('Ctrl-C')) continue;
    const [, url = '', key = ''] = /listens on (http:\S+)[^]*API Key ([^,]+)/.exec(output) ?? [];
    const response = await fetch(`${url}/api/external/v2/forms?status=active`, { headers: { 'X-Api-Key': key } });
    const { forms } = (await response.json()) as { forms: Array<{ id: string; title: string; attempt_url: string }> };
    expect(forms).toHaveLength(2);
    for (const { id, title, attempt_url } of forms)
      for (const text of [id, title, attempt_url]) expect(output).toContain(text);
    running.kill('SIGINT');
  }
  expect(running.exitCode).toBe(0);
}, 20_000);
