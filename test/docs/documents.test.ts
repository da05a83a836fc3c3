import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';

import { anchors, links, markdownFiles } from './markdown';

const root = resolve(__dirname, '../..');
const files = markdownFiles(root);
const readText = (path: string) => readFileSync(join(root, path), 'utf8');
const { homepage, scripts } = JSON.parse(readText('package.json')) as {
  homepage: string;
  scripts: Record<string, string>;
};
const repository = homepage.replace(/#.*/, '');

/** What is wrong with a link in a file; undefined when its target exists. */
function brokenLink(file: string, link: string): string | undefined {
  if (/^https?:/.test(link)) return link.startsWith('https://') ? undefined : 'is not encrypted';
  const [target = '', anchor] = decodeURI(link).split('#');
  const path = target === '' ? file : normalize(join(dirname(file), target));
  if (path.startsWith('..') || !existsSync(join(root, path))) return 'has no target';
  if (anchor === undefined) return undefined;
  return path.endsWith('.md') && anchors(readText(path)).has(anchor) ? undefined : 'has no such heading';
}

/** The scripts of package.json that a text names, as `npm run x`, `npm start` or `npm test`. */
function scriptNames(text: string): string[] {
  return [...text.matchAll(/\bnpm (?:run ([\w:-]*\w)|(start|test)\b)/g)].map(([, long, short]) => long ?? short ?? '');
}

describe('the documents', () => {
  it.each(files)('$path: every link leads to a file or a heading', ({ path, text }) => {
    const broken = links(text)
      .filter((link) => !link.startsWith('mailto:'))
      .map((link) => [link, brokenLink(path, link)]);
    expect(broken.filter(([, problem]) => problem !== undefined)).toEqual([]);
  });

  it.each(files)('$path names only scripts that exist', ({ text }) => {
    expect(scriptNames(text).filter((name) => !(name in scripts))).toEqual([]);
  });

  it('explain every script in CONTRIBUTING', () => {
    const explained = scriptNames(readText('CONTRIBUTING.md'));
    expect(Object.keys(scripts).filter((name) => !explained.includes(name))).toEqual([]);
  });

  it('are what the links of the nodes and the credential lead to', () => {
    const linked = globSync(['nodes/**/*.node.json', 'credentials/*.ts'], { cwd: root }).flatMap((path) =>
      [...readText(path).matchAll(/https:\/\/github\.com[^'"\s]+/g)].map(([link]) => link),
    );
    expect(linked.length).toBeGreaterThan(2);
    expect(
      linked.filter((link) => {
        const [page = '', anchor = 'readme'] = link.split('#');
        const path = page === repository ? 'README.md' : page.replace(`${repository}/blob/main/`, '');
        return anchor !== 'readme' && brokenLink('README.md', `${path}#${anchor}`) !== undefined;
      }),
    ).toEqual([]);
  });
});
