import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { chosenOf, FIRST, idleExceptions, planOf } from '../../verify/docs/plan.ts';
import { commandsOf, documentsIn } from '../../verify/documents.ts';

const root = resolve(__dirname, '../..');
const documents = documentsIn(root);
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

/** The scripts of package.json that a text names: by `npm run x`, or by the short `npm start` and `npm test`. */
function scriptsIn(text: string): string[] {
  return [...text.matchAll(/\bnpm (?:run ([\w:-]*\w)|(start|test)\b)/g)].map(([, long, short]) => long ?? short ?? '');
}

describe('the scripts of package.json', () => {
  it.each(documents)('$path names none that is not there', ({ text }) => {
    expect(scriptsIn(text).filter((script) => !(script in scripts))).toEqual([]);
  });

  it('are all told of in CONTRIBUTING, each as a command', () => {
    const told = documents
      .filter(({ path }) => path === 'CONTRIBUTING.md')
      .flatMap(commandsOf)
      .flatMap(scriptsIn);
    expect(Object.keys(scripts).filter((script) => !told.includes(script))).toEqual([]);
  });

  it('start nothing but each other and files that are there', () => {
    const files = Object.values(scripts).flatMap((script) =>
      [...script.matchAll(/\b(?:node|--config|-p) (\S+)/g)].map(([, file = '']) => file),
    );
    expect(files.length).toBeGreaterThan(5);
    for (const file of files) expect(readFileSync(join(root, file), 'utf8')).not.toBe('');
    expect(
      Object.values(scripts)
        .flatMap(scriptsIn)
        .filter((script) => !(script in scripts)),
    ).toEqual([]);
  });

  it.each([
    ['`npm run build` and npm run test:e2e.', ['build', 'test:e2e']],
    ['npm ci && npm start, npm test -- --watch', ['start', 'test']],
    ['npm run nowhere', ['nowhere']],
    ['npm install, npm testing, pnpm start', []],
  ])('are found in %j', (text, found) => {
    expect(scriptsIn(text)).toEqual(found);
  });
});

describe('a command', () => {
  const commands = (text: string) => commandsOf({ path: 'x.md', text });

  it('is a line of a block, or a piece of code in a sentence', () => {
    expect(
      commands(
        'Run `npm run b`.\n\n```\nnpm ci && npm start   # both\nN8N_X=1\n```\n\nSee `nodes/`, `npm` and `node --watch`.\n',
      ),
    ).toEqual(['npm run b', 'npm ci && npm start']);
  });

  it('counts once in a document', () => {
    expect(commands('`npm ci`, again `npm ci`')).toEqual(['npm ci']);
  });

  it('is told in the README to try the package and to test it', () => {
    expect(documents.filter(({ path }) => path === 'README.md').flatMap(commandsOf)).toEqual(
      expect.arrayContaining(['npm ci && npm start', 'npm ci && npm test']),
    );
  });
});

describe('the plan of what `npm run verify:docs` runs', () => {
  const plan = planOf(documents);
  const all = { words: [], upToMinutes: Infinity, isLinked: false, isNested: false };

  it('has every command of every document, each once', () => {
    expect(plan.map(({ command }) => command).sort()).toEqual([...new Set(documents.flatMap(commandsOf))].sort());
    expect(chosenOf(plan, all)).toEqual(plan);
  });

  it('makes no exception for a command that is not told', () => {
    expect(idleExceptions(plan)).toEqual([]);
    expect(idleExceptions(plan.slice(1))).toEqual([FIRST]);
  });

  it('installs first and has the long ones last', () => {
    expect(plan[0]?.command).toBe(FIRST);
    const minutes = plan.slice(1).map((planned) => planned.minutes);
    expect(minutes).toEqual([...minutes].sort((a, b) => a - b));
  });

  it('tags a version before it pushes it, away from the clone that the others use', () => {
    const releases = plan.filter(({ where }) => where === 'clone for releases');
    expect(releases.map(({ command }) => command)).toEqual(['npm version minor', 'git push --follow-tags']);
  });

  it('stops what would go on for ever', () => {
    const servers = plan.filter(({ up }) => up !== undefined).map(({ command }) => command);
    expect(servers.sort()).toEqual(['npm ci && npm start', 'npm run emulator', 'npm start']);
  });

  it.each([
    [
      'words',
      { ...all, words: ['lint', 'emulator'] },
      [
        FIRST,
        'npm run emulator',
        'npm run lint',
        'npm run lint:imports',
        'npm run verify:docs -- --linked build emulator',
      ],
    ],
    [
      'the modules of this checkout',
      { ...all, words: ['npm ci', 'npm install', 'bash', 'build'], isLinked: true },
      ['npm run build', 'npm run verify:docs -- --linked build emulator'],
    ],
    ['itself', { ...all, words: ['verify'], isLinked: true, isNested: true }, ['npm run verify']],
    ['a few minutes', { ...all, words: ['npm run bench', 'typecheck'], upToMinutes: 10 }, [FIRST, 'npm run typecheck']],
  ])('can be narrowed by %s', (_what, choice, commands) => {
    expect(
      chosenOf(plan, choice)
        .map(({ command }) => command)
        .sort(),
    ).toEqual(commands.sort());
  });
});
