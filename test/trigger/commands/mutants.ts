/**
 * Breaks the trigger on purpose, one rule at a time, and sees whether its tests notice: `npm run mutants`, or `npm run mutants -- lock`
 * for those whose name contains a word. Works on a copy; exits with 1 when one is not noticed.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Edit {
  /** Below nodes/NeetoForm. */
  file: string;
  /** Stands there exactly once. */
  from: string;
  to: string;
}

interface Mutant {
  name: string;
  edits: Edit[];
}

const one = (name: string, file: string, from: string, to: string): Mutant => ({ name, edits: [{ file, from, to }] });

const MUTANTS: Mutant[] = [
  one(
    'a strict bound instead of an inclusive one',
    'polling/cursor.ts',
    'created < this.c || this.seen',
    'created <= this.c || this.seen',
  ),
  one(
    'reading on behind the last second',
    'polling/drain.ts',
    'from = secondOf(lastMs);\n',
    'from = secondOf(lastMs) + SECOND;\n',
  ),
  one(
    'the cursor saved before the rows are read',
    'polling/form.ts',
    'const harvest = new Harvest(cursor, { room, lookbackMs });',
    'const harvest = new Harvest(cursor, { room, lookbackMs }); store.save({ c: clock.now(), seen: new Map() });',
  ),
  one(
    'the cursor saved when the poll throws',
    'polling/form.ts',
    '    throw fault;',
    '    store.save({ ...cursor, c: cursor.c + 60_000 }); throw fault;',
  ),
  one(
    'no look-back',
    'polling/cursor.ts',
    '(this.serverTime ?? this.newest) - this.limits.lookbackMs',
    '(this.serverTime ?? this.newest)',
  ),
  {
    name: 'page numbers instead of values',
    edits: [
      { file: 'polling/drain.ts', from: 'if (secondOf(lastMs) > from) {', to: 'if (page.rows.length < 0) {' },
      { file: 'polling/drain.ts', from: 'lastMs < from ? Infinity : from + SECOND', to: 'Infinity' },
      { file: 'polling/drain.ts', from: '    if (!tally.hasAll) continue;\n', to: '' },
    ],
  },
  one(
    'ids forgotten at the cursor',
    'polling/cursor.ts',
    'filter(([, created]) => created >= c)',
    'filter(([, created]) => created > c)',
  ),
  one(
    'only the last 100 ids remembered',
    'polling/cursor.ts',
    'filter(([, created]) => created >= c));',
    'filter(([, created]) => created >= c).slice(-100));',
  ),
  one('no lock', 'polling/poll.ts', '.filter((form) => !running.has(keyOf(form)))', ''),
  one('a lock that is never released', 'polling/poll.ts', 'running.delete(keyOf(form))', 'running.has(keyOf(form))'),
  one(
    'handing out while n8n still stores',
    'polling/form.ts',
    '  if (isBehind(kept, handedOut.get(key), clock)) return NOTHING;\n',
    '',
  ),
  one(
    'a short page trusted',
    'polling/drain.ts',
    'return total !== undefined && rows.length >= total;',
    'return rows.length < 100 || (total !== undefined && rows.length >= total);',
  ),
  {
    name: 'a tie taken for whole after one pass',
    edits: [{ file: 'polling/drain.ts', from: '    if (!tally.hasAll) continue;\n', to: '' }],
  },
  one(
    'a tie taken for whole though rows stood in for others',
    'polling/drain.ts',
    'this.wasClean && this.known.size >= this.shownInThisPass',
    'this.wasClean',
  ),
  one(
    'without totals, a clean pass over a tie not confirmed',
    'polling/drain.ts',
    '(this.total !== undefined || this.cleanPasses >= 1)',
    'this.cleanPasses >= 0',
  ),
  one(
    'a deleted row counted among those of a tie',
    'polling/drain.ts',
    '    this.known.clear();\n    this.knownBefore = -1;\n',
    '',
  ),
  {
    name: 'the clock of the computer as the watermark',
    edits: [
      {
        file: 'polling/drain.ts',
        from: 'async function ask({ ask: askForPage, harvest }: Drain',
        to: 'async function ask({ ask: askForPage, harvest, clock }: Drain',
      },
      {
        file: 'polling/drain.ts',
        from: 'harvest.noteServerTime(answer.serverTime)',
        to: 'harvest.noteServerTime(clock.now())',
      },
    ],
  },
  one(
    "the last answer's time instead of the first's",
    'polling/cursor.ts',
    'this.serverTime ??= serverTime;',
    'this.serverTime = serverTime ?? this.serverTime;',
  ),
  one(
    'no copy under the id of the node',
    'polling/store.ts',
    'if (copy === undefined) return own;',
    'if (copy === undefined || numberOf(copy) >= 0) return own;',
  ),
  one(
    'an older state under the name of the node preferred',
    'polling/store.ts',
    'numberOf(copy) > numberOf(own)',
    'numberOf(copy) < 0',
  ),
  one(
    'the copy trusted before n8n stored the cursor',
    'polling/store.ts',
    "(copy.name === this.name ? objectAt(copy, 'before') : undefined) ?? copy",
    'copy',
  ),
  {
    name: 'the state used for any form',
    edits: [
      { file: 'polling/state.ts', from: 'state.source !== source || ', to: '' },
      { file: 'polling/store.ts', from: 'state?.source === this.source ? state : undefined', to: 'state' },
    ],
  },
  one(
    'no bound on unsettled ids',
    'polling/cursor.ts',
    'return !this.isUnsettled(created) || this.countUnsettled() < MAX_UNSETTLED;',
    'return true;',
  ),
  one(
    "the bound kept without the service's time",
    'polling/cursor.ts',
    '    if (this.serverTime === undefined) return true;\n',
    '',
  ),
  one('no bound on what a poll hands out', 'polling/cursor.ts', 'if (this.limits.room.left <= 0) return false;', ''),
  one('what had no room counted as read', 'polling/cursor.ts', 'Math.min(ms, this.leftAt ?? ms)', 'ms'),
  one('the order not checked', 'polling/ask.ts', 'if (!isOrdered) throw', 'if (!isOrdered && rows.length < 0) throw'),
  one(
    'a baseline that believes a date ahead',
    'polling/baseline.ts',
    'Math.min(newestMs, serverTime ?? newestMs) - lookbackMs',
    'newestMs - lookbackMs',
  ),
  one(
    'a baseline without ids',
    'polling/baseline.ts',
    'seen: new Map(present.map((row) => [row.id, createdMs(row)]))',
    'seen: new Map()',
  ),
  one(
    'a baseline that hands out the past',
    'polling/baseline.ts',
    'if (newest === undefined) return',
    'if (rows.length < Infinity) return',
  ),
  one(
    'no end to the time of a poll',
    'polling/drain.ts',
    'return clock.now() >= deadline;',
    'return false && clock.now() >= deadline;',
  ),
  one(
    'a last try that takes all the time it wants',
    'polling/ask.ts',
    'return Math.min(TIMEOUT_MS, Math.max(1_000, abandonAt - clock.now()));',
    'return Math.min(TIMEOUT_MS, Math.max(abandonAt, 1_000));',
  ),
  one(
    'a standstill passed over in silence',
    'polling/form.ts',
    "outcome === 'time is up' && harvest.cursor().c === cursor.c ? tooSlow(call) : outcome",
    "outcome === 'time is up' ? undefined : outcome",
  ),
  one(
    'a start of n8n that fails with the service',
    'polling/form.ts',
    'isActivation && isTransient(fault)',
    '!isActivation && isTransient(fault)',
  ),
  one(
    'passing faults never reported',
    'polling/form.ts',
    'kept !== undefined && isActivation && isTransient(fault)',
    'kept !== undefined && isTransient(fault)',
  ),
  one(
    'an activation that forgives a wrong key',
    'polling/form.ts',
    'isActivation && isTransient(fault)',
    'isActivation',
  ),
  one(
    'what was taken before a fault lost',
    'polling/form.ts',
    'fault instanceof NodeApiError && harvest.isEmpty',
    'fault instanceof NodeApiError',
  ),
  one(
    'a manual test that changes the state',
    'polling/poll.ts',
    "context.getMode() === 'manual' ?",
    "context.getMode() === 'cli' ?",
  ),
  one('submissions left for the next poll forgotten', 'polling/cursor.ts', '      this.seen.delete(row.id);\n', ''),
  one(
    'a cursor that passes what was left for the next poll',
    'polling/cursor.ts',
    '      this.readTo = Math.min(this.readTo, this.leftAt);\n',
    '',
  ),
  one(
    'a form that fails stops the others',
    'polling/poll.ts',
    '(outcomes.length === 0 ? faults[0] : undefined)',
    'faults[0]',
  ),
  one(
    'a form that fails passed over in silence',
    'polling/poll.ts',
    '    reportFaults(call, faults, forms.length);\n',
    '',
  ),
  one(
    'the same trouble told by every poll',
    'polling/report.ts',
    'last?.message === message && clock.now() - last.at < REPEAT_MS',
    'last?.at === 0',
  ),
  one(
    'a form that does not exist accepted',
    'polling/poll.ts',
    'faults.find(({ isNew }) => isNew)',
    'faults.find(({ isNew }) => !isNew)',
  ),
  one(
    'a new form begun behind its newest submission',
    'polling/forms.ts',
    'startFrom: startFrom ?? began',
    'startFrom',
  ),
  one('archived forms read', 'polling/forms.ts', 'form.is_archived !== true', "form.is_archived !== 'true'"),
  one('one cursor for all forms', 'polling/store.ts', 'this.key = NODE_KEY + formId;', 'this.key = NODE_KEY;'),
  one(
    'forms that were taken out remembered',
    'polling/poll.ts',
    "    if (settings.watch !== 'active') forgetOtherForms(context, settings.formIds);\n",
    '',
  ),
  one(
    'the first form always first',
    'polling/poll.ts',
    'Math.floor(clock.now() / MINUTE) % Math.max(1, ids.length)',
    '0 * clock.now()',
  ),
  one(
    'all forms read at once',
    'polling/poll.ts',
    'await form.limiter.run(async () => await read(form))',
    'await read(form)',
  ),
  one(
    'faults of the service not tried again',
    'api/retry.ts',
    '(isRead && fault.status >= 500)',
    '(isRead && fault.status > 599)',
  ),
  one('Retry-After ignored', 'api/retry.ts', '(fault.retryAfterMs ?? backOff)', 'backOff'),
  one(
    'tries without regard to the time',
    'api/retry.ts',
    'elapsedMs + wait <= limitMs ? wait : undefined',
    'elapsedMs + wait <= limitMs * 9 ? wait : undefined',
  ),
  one(
    'an answer without a list taken for an empty list',
    'api/parse.ts',
    "if (!Array.isArray(rows)) throw new UnexpectedResponse(`there is no list of '${list}'`);",
    'if (!Array.isArray(rows)) return { rows: [], total: 0, serverTime };',
  ),
  one(
    'times without a zone taken for local',
    'api/parse.ts',
    'hasZone ? createdAt : `${createdAt}Z`',
    'hasZone ? createdAt : `${createdAt}+02:00`',
  ),
];

const PARTS = [
  'credentials',
  'nodes',
  'emulator',
  'test/support',
  'test/trigger',
  'test/unit',
  'jest.config.js',
  'package.json',
  'tsconfig.json',
  'tsconfig.dev.json',
];

/** What looks for a mutant, the quickest first; the simulation with a seed that stays, so that a run can be repeated. */
const HUNTERS = [
  { name: 'S01–S13', args: ['test/trigger/cases.first'] },
  { name: 'time', args: ['test/trigger/cases.time'] },
  { name: 'trouble', args: ['test/trigger/cases.trouble'] },
  { name: 'forms', args: ['test/trigger/several', 'test/trigger/switching', 'test/trigger/storing'] },
  { name: 'pure', args: ['test/unit/giveBack', 'test/unit/drain'] },
  { name: 'files', args: ['test/trigger/files'] },
  { name: 'simulation', args: ['test/trigger/simulation/first'] },
];

const root = process.cwd();
const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
try {
  for (const part of PARTS) cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir');
  const [word = ''] = process.argv.slice(2);
  // None may wait for its turn to be found outdated.
  for (const mutant of MUTANTS) apply(mutant)();
  if (word === '' && hunt() !== undefined) throw new Error('The tests fail without a mutant');
  const survivors: string[] = [];
  for (const mutant of MUTANTS.filter(({ name }) => name.includes(word))) {
    const mend = apply(mutant);
    const killer = hunt();
    mend();
    if (killer === undefined) survivors.push(mutant.name);
    console.log(`${(killer ?? 'SURVIVES').padEnd(12)} ${mutant.name}`);
  }
  console.log(survivors.length === 0 ? 'Every mutant was noticed.' : `Not noticed: ${survivors.join('; ')}`);
  process.exitCode = survivors.length === 0 ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** @returns what noticed that something is wrong */
function hunt(): string | undefined {
  for (const { name, args } of HUNTERS) {
    const { status } = spawnSync(
      process.execPath,
      [join('node_modules', 'jest', 'bin', 'jest.js'), '--runInBand', ...args],
      {
        cwd: copy,
        stdio: 'ignore',
        timeout: 150_000,
        env: { ...process.env, SIMULATION_RUNS: '1200', SIMULATION_SEED: '11' },
      },
    );
    if (status !== 0) return name;
  }
  return undefined;
}

/** @returns a function that undoes it */
function apply({ name, edits }: Mutant): () => void {
  const before = new Map<string, string>();
  for (const { file, from, to } of edits) {
    const path = join(copy, 'nodes', 'NeetoForm', file);
    const text = readFileSync(path, 'utf8');
    if (text.split(from).length !== 2)
      throw new Error(`Mutant "${name}": what it changes does not stand in ${file} exactly once: ${from}`);
    if (!before.has(path)) before.set(path, text);
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
  }
  return () => {
    for (const [path, text] of before) writeFileSync(path, text);
  };
}
