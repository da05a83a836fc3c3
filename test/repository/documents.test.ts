import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { versions } from '../../n8n-runner/install.ts';
import { homepage, scripts } from '../../package.json';
import { findFiles, pathTo, readText } from './repositoryFiles';

const patterns = ['*.md', '.github/**/*.{md,yml}', '{benchmarks,docs,emulator,examples}/**/*.md'];
const files = findFiles(...patterns).map((path) => ({ path, text: readText(path) }));
const readme = readText('README.md');

/** The scripts of package.json that a text names, as `npm run x`, `npm start` or `npm test`. */
function scriptNames(text: string): string[] {
  return [...text.matchAll(/\bnpm (?:run ([\w:-]*\w)|(start|test)\b)/g)].map(([, long, short]) => long ?? short ?? '');
}

describe('the documents and the workflows of GitHub', () => {
  it.each(files)('$path shows only pictures that exist', ({ path, text }) => {
    const pictures = [...text.matchAll(/\b(?:src|srcset)="([^"\s]+)"/g)].map(([, picture = '']) => picture);
    expect(pictures.filter((picture) => !existsSync(pathTo(join(dirname(path), picture))))).toEqual([]);
  });

  it.each(files)('$path names only scripts and programs that exist, and only encrypted pages of others', ({ text }) => {
    expect(scriptNames(text).filter((name) => !(name in scripts))).toEqual([]);
    const programs = text.match(/(?<=\bnode )[\w./-]+\.[cm]?[jt]s\b/g) ?? [];
    expect(programs.filter((path) => !existsSync(pathTo(path)))).toEqual([]);
    expect(text.match(/\]\(http:[^)]+\)/g) ?? []).toEqual([]);
  });

  it('have a README that is read in five minutes: at most 1,200 words and 10.5 kB', () => {
    expect(readme.split(/\s+/).filter((word) => word !== '').length).toBeLessThanOrEqual(1200);
    expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(10_500);
  });

  it('name the versions of n8n that are tested', () => {
    const named = /Tested in n8n ([^:]+):/.exec(readme)?.[1];
    expect(named?.match(/\d+\.\d+\.\d+/g)).toEqual(versions.map(({ n8n }) => n8n));
  });

  it('explain every script', () => {
    const explained = scriptNames(readText('docs/development.md'));
    expect(Object.keys(scripts).filter((name) => !explained.includes(name))).toEqual([]);
  });

  it('have the headings that the nodes and the credential lead to', () => {
    const sources = findFiles('nodes/**/*.node.json', 'credentials/*.ts');
    const linked = sources.flatMap((path) => readText(path).match(/https:\/\/github\.com[^'"\s]+/g) ?? []);
    expect(linked.length).toBeGreaterThan(2);
    // Lint checks that the README's links to its own headings lead somewhere.
    const known = [...readme.matchAll(/\]\((#[\w-]+)\)/g)].map(([, anchor = '']) => anchor);
    const pages = [homepage, ...known.map((anchor) => homepage.replace('#readme', anchor))];
    expect(linked.filter((link) => !pages.includes(link))).toEqual([]);
  });
});
