import { startGroup } from '../../n8n-runner/process.ts';
import { repositoryFolder } from '../../n8n-runner/paths.ts';
import { Recording } from './support/pictures.ts';
import { startBrowser } from './support/stage.ts';

const ROWS = 32;

it('shows in an animated picture what npm start writes to the terminal', async () => {
  /** The lines of output, and when they came in milliseconds. */
  const lines: Array<{ text: string; at: number }> = [];
  const group = await startGroup(process.execPath, {
    args: ['demo/start.ts', '--once'],
    cwd: repositoryFolder,
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
    onLine: (text) => lines.push({ text, at: Date.now() }),
  });
  expect(await group.exited).toBe(0);

  const browser = await startBrowser();
  const page = await browser.newPage({ viewport: { width: 960, height: 24 + ROWS * 18 } });
  const recording = new Recording();
  const shown = ['$ npm start'];
  async function recordScreen(seconds: number): Promise<void> {
    const text = shown.slice(-ROWS).join('\n').replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    await page.setContent(`<body style="margin: 0; background: #1b1f24">
<pre style="margin: 0; padding: 12px 16px; color: #e6e8ea; font: 13px/18px 'DejaVu Sans Mono', monospace; white-space: pre-wrap">${text}</pre>`);
    await recording.frame(page, seconds);
  }
  await recordScreen(1.5);
  for (const [index, { text, at }] of lines.entries()) {
    shown.push(text);
    const pause = (lines[index + 1]?.at ?? at) - at;
    // Lines that come together are one frame; a long wait is shortened.
    if (pause > 50) await recordScreen(Math.min(2, Math.max(0.4, pause / 1000)));
  }
  await recordScreen(5);
  expect(await recording.save('npm-start')).toBeLessThan(500_000);
  await browser.close();
}, 600_000);
