import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../..');

/** Words that this project does not use, and what to write instead. Matched in lower case, with identifiers split into words. */
const bannedWords: Array<[RegExp, string]> = [
  [/\bharvests?\b/, 'batch, collect'],
  [/\b(?:hand(?:s|ed|ing)? (?:out|back)|giv(?:e|es|en|ing) (?:back|out|away))\b/, 'emit, return'],
  [/\bmend(?:s|ed|ing)?\b/, 'fix'],
  [/\bheed(?:s|ed|ing)?\b/, 'respect, follow'],
  [/\bstand-?ins?\b/, 'emulator'],
  [/\bwhole n8ns?\b/, 'n8n instance'],
  [/\b(?:begin|start)(?:s|ning|ing)? (?:anew|afresh)\b/, 'start again, reset'],
  [/\bkeepers?\b/, 'cursor store'],
  [/\bon faults?\b/, 'onFailure'],
  [/\b(?:tally|tallies)\b/, 'count'],
  [/\bworlds?\b/, 'test environment'],
  [/\bbelievable\b/, 'sample'],
  [/\boff the book\b/, 'undocumented'],
  [/\bthrottl(?:e|es|ed|ing)\b/, 'limit, concurrency limiter'],
  [/\b(?:contests?|contenders?)\b/, 'comparison, competitor'],
  [/\b(?:abandon at|patience)\b/, 'deadline, timeout'],
  [/\btake baselines?\b/, 'initial cursor'],
  [/\bfar side\b/, 'service'],
  [/\b(?:colour|behaviour|licence|cancelled|neighbour)s?\b/, 'American spelling'],
];

const patterns = [
  '*.{md,ts,js,mjs,cjs,yaml}',
  'Dockerfile',
  '.dependency-cruiser.cjs',
  '.{ci,github}/**/*',
  '{benchmarks,credentials,demo,docs,emulator,examples,nodes,test,verify}/**/*.{ts,js,mjs,cjs,md,json,yml}',
  'n8n-runner/*.{ts,mjs}',
];

/** This file lists the words; the others are generated or installed. */
const excluded = /node_modules|package-lock|benchmarks\/.*results\.json|structure\/vocabulary\.test\.ts$/;

const files = globSync(patterns, { cwd: root, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
  .filter((path) => !excluded.test(path));

/** The banned words in a text, with their lines. */
function findBannedWords(text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const words = line
      .replace(/([a-z\d])([A-Z])/g, '$1 $2')
      .replaceAll('_', ' ')
      .toLowerCase();
    return bannedWords.flatMap(([word, instead]) => {
      const [found] = word.exec(words) ?? [];
      return found === undefined ? [] : [`line ${index + 1}: "${found}" (write: ${instead})`];
    });
  });
}

describe('the vocabulary', () => {
  it('covers code, tests, tools and documents', () => {
    expect(files).toEqual(
      expect.arrayContaining([
        'README.md',
        'docs/docker.md',
        'credentials/NeetoFormApi.credentials.ts',
        'nodes/NeetoForm/polling/poll.ts',
        'test/trigger/delivery.test.ts',
        'test/docs/markdown.ts',
        '.github/workflows/ci.yml',
        '.ci/run',
      ]),
    );
  });

  it.each(files)('%s has no word of a private language', (path) => {
    expect(findBannedWords(readFileSync(join(root, path), 'utf8'))).toEqual([]);
  });
});
