import { join } from 'node:path';

import { exitWithParent, startGroup } from '../../n8n-runner/process.ts';
import { repositoryFolder } from '../../n8n-runner/paths.ts';
import { startBrowser } from './support/browser.ts';
import { Recording } from './support/recording.ts';

/** A line of output, and when it came in milliseconds. */
interface Line {
  text: string;
  at: number;
}

const ROWS = 32;

it('shows in an animated picture what npm start writes to the terminal', async () => {
  const lines: Line[] = [];
  const group = await startGroup(process.execPath, {
    args: [exitWithParent, join('demo', 'start.ts'), '--once'],
    cwd: repositoryFolder,
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
    onLine: (text) => lines.push({ text, at: Date.now() }),
  });
  expect(await group.exited).toBe(0);
  expect(lines.some(({ text }) => /^Execution \d+: success/.test(text))).toBe(true);

  const browser = await startBrowser();
  const recording = await Recording.start();
  try {
    const page = await browser.newPage({ viewport: { width: 960, height: 24 + ROWS * 18 } });
    const shown = ['$ npm start'];
    await recordScreen(shown, 1.5);
    for (const [index, { text, at }] of lines.entries()) {
      shown.push(text);
      const pause = (lines[index + 1]?.at ?? at) - at;
      // Lines that come together are one frame; a long wait is shortened.
      if (pause > 50) await recordScreen(shown, Math.min(2, Math.max(0.4, pause / 1000)));
    }
    await recordScreen(shown, 5);
    expect(await recording.save('npm-start', 960)).toBeLessThan(500_000);

    async function recordScreen(all: string[], seconds: number): Promise<void> {
      await page.setContent(terminalWith(all.slice(-ROWS).join('\n')));
      await recording.frame(page, seconds);
    }
  } finally {
    await recording.discard();
    await browser.close();
  }
}, 600_000);

function terminalWith(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<body style="margin: 0; background: #1b1f24">
<pre style="margin: 0; padding: 12px 16px; color: #e6e8ea; font: 13px/18px 'DejaVu Sans Mono', monospace; white-space: pre-wrap">${escaped}</pre>`;
}
