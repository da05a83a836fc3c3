import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';

import { NeetoForm } from '../../nodes/NeetoForm/NeetoForm.node';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';
import { documentsIn } from '../../verify/documents.ts';
import { anchorOf, anchorsOf, linksOf } from '../../verify/markdown.ts';
import { readmeFindings } from '../../verify/rules/readme.ts';
import { serviceMessage } from '../../verify/rules/words.ts';

const root = resolve(__dirname, '../..');
const documents = documentsIn(root);

/** What is wrong with a link of a document; undefined when it leads somewhere. */
function faultOf(document: string, link: string): string | undefined {
  const [target = '', anchor] = decodeURI(link).split('#');
  const path = target === '' ? document : normalize(join(dirname(document), target));
  if (path.startsWith('..')) return 'leads out of the repository';
  if (!existsSync(join(root, path))) return 'leads to no file';
  if (anchor === undefined) return undefined;
  if (!path.endsWith('.md')) return 'leads into a file without headings';
  return anchorsOf(readFileSync(join(root, path), 'utf8')).has(anchor) ? undefined : 'leads to no heading';
}

const isOnTheWeb = (link: string) => /^(?:https?|mailto):/.test(link);

describe('the documents', () => {
  it('are found', () => {
    expect(documents.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        'CHANGELOG.md',
        'CONTRIBUTING.md',
        'LICENSE.md',
        'README.md',
        'SECURITY.md',
        'benchmarks/README.md',
        'emulator/README.md',
        'examples/README.md',
      ]),
    );
    expect(documents.filter(({ path }) => path.includes('node_modules'))).toEqual([]);
  });

  it.each(documents)('$path: every link and picture leads to a file or a heading', ({ path, text }) => {
    const faults = linksOf(text)
      .filter((link) => !isOnTheWeb(link))
      .map((link) => [link, faultOf(path, link)]);
    expect(faults.filter(([, fault]) => fault !== undefined)).toEqual([]);
  });

  it('lead to the web by https, and to no repository but their own', () => {
    const { homepage } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { homepage: string };
    const own = homepage.replace(/#.*/, '');
    const links = documents.flatMap(({ path, text }) =>
      linksOf(text)
        .filter(isOnTheWeb)
        .map((link) => [path, link] as const),
    );
    expect(
      links.filter(
        ([, link]) => !link.startsWith('https://') || (link.startsWith('https://github.com/') && !link.startsWith(own)),
      ),
    ).toEqual([]);
  });

  it('have in the README every section that a user looks for, and every name that the nodes show', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    expect(
      readmeFindings(
        readme,
        [new NeetoForm(), new NeetoFormTrigger()].flatMap(({ description }) => serviceMessage(description)),
      ),
    ).toEqual([]);
  });

  it('show every picture that there is', () => {
    const shown = new Set(
      documents.flatMap(({ path, text }) => linksOf(text).map((link) => normalize(join(dirname(path), link)))),
    );
    const pictures = globSync('docs/images/*.*', { cwd: root });
    expect(pictures.filter((picture) => !shown.has(picture))).toEqual([]);
    expect(pictures.length).toBeGreaterThan(0);
  });
});

describe('a link', () => {
  it.each([
    ['README.md', '#install', undefined],
    ['README.md', 'examples/README.md', undefined],
    ['examples/README.md', '../README.md#privacy', undefined],
    ['examples/README.md', 'off-boarding.json', undefined],
    ['README.md', 'examples', undefined],
    ['README.md', '#nowhere', 'leads to no heading'],
    ['README.md', 'CONTRIBUTING.md#nowhere', 'leads to no heading'],
    ['README.md', 'nowhere.md', 'leads to no file'],
    ['examples/README.md', 'README.md#privacy', 'leads to no heading'],
    ['examples/README.md', '../../README.md', 'leads out of the repository'],
    ['README.md', 'package.json#scripts', 'leads into a file without headings'],
  ])('in %s to %s: %s', (document, link, fault) => {
    expect(faultOf(document, link)).toBe(fault);
  });
});

describe('Markdown', () => {
  it.each([
    ['Try it and test it', 'try-it-and-test-it'],
    ['`npm start` & more: what?', 'npm-start--more-what'],
    ["n8n's queue_mode (2.40)", 'n8ns-queue_mode-240'],
    ['Größe – in cm', 'größe--in-cm'],
    ['[Changelog](CHANGELOG.md)', 'changelog'],
  ])('gives the heading %j the anchor %s', (heading, anchor) => {
    expect(anchorOf(heading)).toBe(anchor);
  });

  it('tells two headings of one name apart', () => {
    expect([...anchorsOf('# One\n\n## Two\n\n## One\n\n### One #')]).toEqual(['one', 'two', 'one-1', 'one-2']);
  });

  it('has no headings and links inside of code', () => {
    const text = '```sh\n# not\n[a](b)\n```\n\n`[c](d)`\n\n~~~\n# nor\n~~~\n\n# Yes\n';
    expect([...anchorsOf(text)]).toEqual(['yes']);
    expect(linksOf(text)).toEqual([]);
  });

  it('links in each of its ways', () => {
    const text =
      '[a](b.md) ![c](d.png "e") <img src="f.png"> <source srcset="g.png 2x"> <a href="#h">i</a> [j][k]\n\n[k]: <l.md>\n';
    expect(linksOf(text)).toEqual(['b.md', 'd.png', 'l.md', 'f.png', 'g.png', '#h']);
  });
});
