/**
 * Runs every command that the documents tell, in a fresh clone of the last commit: `npm run verify:docs`, with words for those in which a
 * word begins so, `--up-to` minutes, `--linked` to do without installing, `--list` to run nothing. Exits with 1 when one does not do as told.
 */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { openLineLog } from '../../n8n-runner/lineLog.ts';
import { cacheFolder, repositoryFolder } from '../../n8n-runner/paths.ts';
import { documentsIn } from '../documents.ts';
import { makePlaces, type Places } from './places.ts';
import { chosenOf, planOf, type Planned } from './plan.ts';
import { run, type Outcome } from './run.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    linked: { type: 'boolean', default: false },
    'up-to': { type: 'string', default: 'Infinity' },
  },
});

const say = (line: string) => console.log(line);
const { linked: isLinked } = values;
const logs = join(cacheFolder, 'verify-docs');
const plan = planOf(documentsIn(repositoryFolder));
const chosen = chosenOf(plan, {
  words: positionals,
  upToMinutes: Number(values['up-to']),
  isLinked,
  isNested: process.env['VERIFY_DOCS'] === 'nested',
});

if (values.list) {
  for (const line of table(['Command', 'Run as', 'In', 'Minutes at most', 'Told by'], chosen.map(listed))) say(line);
} else {
  process.exitCode = await runAll();
}

function listed({ command, runs, where, up, minutes, toldBy }: Planned): string[] {
  return [
    command,
    [runs === command ? '' : runs, up ? 'until it is up' : ''].filter(Boolean).join(', '),
    where,
    String(minutes),
    toldBy.join(', '),
  ];
}

async function runAll(): Promise<number> {
  const uncommitted = execFileSync('git', ['-C', repositoryFolder, 'status', '--porcelain'], {
    encoding: 'utf8',
  }).trim();
  if (uncommitted !== '') say('What is not committed is not in the clone.\n');
  rmSync(logs, { recursive: true, force: true });
  const places = makePlaces(repositoryFolder, { isLinked });
  process.once('exit', places.remove);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
  const outcomes = await outcomesOf(places);
  say('');
  for (const line of table(['', 'Command', 'Time', 'End'], outcomes.map(told))) say(line);
  const failed = outcomes.filter(({ outcome }) => outcome.problem !== undefined).length;
  say(
    failed === 0
      ? `\nAll ${outcomes.length} of ${plan.length} commands do as told.`
      : `\n${failed} of ${outcomes.length} commands do not do as told; what they said is in .cache/verify-docs.`,
  );
  return failed === 0 ? 0 : 1;
}

interface Ran {
  planned: Planned;
  outcome: Outcome;
}

async function outcomesOf(places: Places): Promise<Ran[]> {
  const ran: Ran[] = [];
  for (const planned of chosen) {
    const { command, where, minutes } = planned;
    const same = ran.find((other) => other.planned.runs === planned.runs && other.planned.where === where);
    say(same === undefined ? `${command} (${minutes} minutes at most)` : `${command}: as ${same.planned.command}`);
    ran.push({ planned, outcome: same?.outcome ?? (await runLogged(planned, places)) });
    if (planned === chosen[0] && !isLinked && ran[0]?.outcome.problem !== undefined) break;
  }
  return ran;
}

async function runLogged(planned: Planned, places: Places): Promise<Outcome> {
  const log = openLineLog(join(logs, `${planned.command.replace(/\W+/g, '-')}.log`));
  const outcome = await run(planned, { cwd: places.folderOf(planned.where), clone: places.folderOf('clone'), log });
  if (outcome.problem !== undefined) say(`${log.tail(20)}\n${outcome.problem}\n`);
  return outcome;
}

function told({ planned, outcome }: Ran): string[] {
  return [
    outcome.problem === undefined ? '✓' : '✗',
    planned.command,
    `${outcome.seconds} s`,
    outcome.problem ?? outcome.end,
  ];
}

/** Lines with columns under each other. */
function table(head: string[], rows: string[][]): string[] {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((cells) => cells[column]?.length ?? 0)));
  return [head, ...rows].map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
