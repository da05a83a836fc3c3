import { commandsOf, type Document } from '../documents.ts';

/** A command that the documents tell, and how it is run here. */
export interface Planned {
  /** As it is written. */
  command: string;
  /** The documents that tell it. */
  toldBy: string[];
  /** What a shell is given; the environment has the clone's path in `CLONE`. */
  runs: string;
  where: 'clone' | 'clone for releases' | 'empty folder';
  /** It gets no more time than this. */
  minutes: number;
  /** What a command says that goes on until it is stopped: then it is up, and is stopped. */
  up?: RegExp;
  env?: Record<string, string>;
}

/** Not every command that is written down is one that may stand for itself. */
type Exception = Partial<Omit<Planned, 'command' | 'toldBy'>>;

/** Longer than most take on a busy machine. */
const MINUTES = 10;

/** What all others begin with. */
export const FIRST = 'npm ci';

const demo: Exception = { up: /^Everything keeps running/, minutes: 40 };

const exceptions: Record<string, Exception> = {
  [FIRST]: { minutes: 20 },
  'npm run emulator': { up: /listens on http/, env: { EMULATOR_PORT: '0' } },
  'npm start': demo,
  'npm ci && npm start': demo,
  'npm test': { minutes: 30 },
  'npm ci && npm test': { minutes: 40 },
  'npm run verify': { minutes: 20 },
  'npx jest test/structure test/emulator test/engine test/docs': { minutes: 20 },
  // Runs itself: once, and not again inside of that.
  'npm run verify:docs': { runs: 'npm run verify:docs -- --list' },
  // The package of this clone stands in for the published one.
  'npm install --legacy-peer-deps n8n-nodes-neetoform': {
    runs: 'npm --prefix "$CLONE" run build && npm pack "$CLONE" --pack-destination . && npm install --legacy-peer-deps ./n8n-nodes-neetoform-*.tgz',
    where: 'empty folder',
  },
  // Both are n8n's own: the test starts them just so.
  'n8n start': { runs: 'npm run test:queue', minutes: 60 },
  'n8n worker': { runs: 'npm run test:queue', minutes: 60 },
  // Pushes to a repository that stands in for the real one.
  'npm version minor': { where: 'clone for releases' },
  'git push --follow-tags': { where: 'clone for releases' },
  'npm run simulate -- --runs 20000 --seed 7': { minutes: 40 },
  'npm run mutants -- lock': { minutes: 40 },
  'npm run bench:quick': { minutes: 20 },
  'npm run bench:pollers': { minutes: 60 },
  'npm run bench': { minutes: 90 },
  'npm run test:e2e': { minutes: 45 },
  'npm run test:ui': { minutes: 45 },
  'npm run test:queue': { minutes: 60 },
  'npm run test:endurance': { minutes: 90 },
  'npm run test:versions': { minutes: 120 },
  'bash .ci/run': { minutes: 120 },
};

/** All commands of the documents, each once: installing first, the long ones last. What is run the same way is run once. */
export function planOf(documents: Document[]): Planned[] {
  const told = new Map<string, string[]>();
  for (const document of documents) {
    for (const command of commandsOf(document)) told.set(command, [...(told.get(command) ?? []), document.path]);
  }
  const planned = [...told].map(([command, toldBy]): Planned => ({
    command,
    toldBy,
    runs: command,
    where: 'clone',
    minutes: MINUTES,
    ...exceptions[command],
  }));
  return planned.sort((a, b) => Number(b.command === FIRST) - Number(a.command === FIRST) || a.minutes - b.minutes);
}

/** Exceptions for commands that no document tells any more. */
export function idleExceptions(plan: Planned[]): string[] {
  return Object.keys(exceptions).filter((exception) => !plan.some(({ command }) => command === exception));
}

export interface Choice {
  /** Commands in which a word begins like one of these; all when there is none. */
  words: string[];
  upToMinutes: number;
  /** The modules are those of this checkout: what installs its own is left out. */
  isLinked: boolean;
  /** This is itself run by such a plan. */
  isNested: boolean;
}

/** What is run of a plan. */
export function chosenOf(plan: Planned[], { words, upToMinutes, isLinked, isNested }: Choice): Planned[] {
  return plan.filter(({ command, runs, minutes }) => {
    if (command === FIRST) return !isLinked;
    if (isLinked && /\bnpm (?:ci|install)\b|\.ci\/run/.test(runs)) return false;
    if (isNested && /\bverify:docs\b/.test(runs)) return false;
    return minutes <= upToMinutes && (words.length === 0 || words.some((word) => ` ${command}`.includes(` ${word}`)));
  });
}
