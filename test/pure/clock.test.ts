import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { transformSync } from '@swc/core';
import { sleepUnlessAborted, systemClock } from '../../nodes/NeetoForm/api/clock';

it('a wait ends with its time, or as soon as it is aborted', async () => {
  const controller = new AbortController();
  const wait = async (ms: number) => await sleepUnlessAborted(systemClock, ms, controller.signal);
  await expect(wait(1)).resolves.toBeUndefined();
  // More than a test may take.
  const clock = { ...systemClock, sleep: async () => await new Promise<void>(() => undefined) };
  const aborted = sleepUnlessAborted(clock, 1, controller.signal);
  controller.abort();
  await expect(aborted).resolves.toBeUndefined();
  await expect(sleepUnlessAborted(clock, 1, controller.signal)).resolves.toBeUndefined();
});

it('a timeout aborts in time: at once when no time is left', async () => {
  expect([-1, 0].map((ms) => systemClock.timeout(ms).aborted)).toEqual([true, true]);
  const timeout = systemClock.timeout(0.1);
  expect(timeout.aborted).toBe(false);
  await once(timeout, 'abort');
});

/** Node.js 20 if this computer has it. Older versions of n8n run there, and newer ones of Node.js keep the signals in memory themselves. */
function findNode20(): string | undefined {
  const found = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  const isNode20 = (node: string) => execFileSync(node, ['--version'], { encoding: 'utf8' }).startsWith('v20.');
  return found.filter((node) => existsSync(node)).find(isNode20);
}

const node20 = findNode20();

(node20 === undefined ? it.skip : it)(
  'in Node.js 20, a combined signal aborts in time, also after garbage was collected',
  () => {
    const source = readFileSync(join(__dirname, '../../nodes/NeetoForm/api/clock.ts'), 'utf8');
    const { code } = transformSync(source, { jsc: { parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } });
    const script = `
    const aborted = [];
    const watch = (name, make) => make().addEventListener('abort', () => aborted.push(name));
    watch('one', () => anySignal(systemClock.timeout(400), new AbortController().signal, undefined));
    watch('nested', () => anySignal(anySignal(systemClock.timeout(400)), new AbortController().signal));
    for (const ms of [50, 150, 250]) setTimeout(() => gc(), ms);
    setTimeout(() => console.log(aborted.join()), 1_000);`;
    const output = execFileSync(node20 ?? '', ['--expose-gc', '--eval', code + script], { encoding: 'utf8' });
    expect(output.trim().split(',').toSorted()).toEqual(['nested', 'one']);
  },
);
