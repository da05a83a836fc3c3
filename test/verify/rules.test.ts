import { codexFindings } from '../../verify/rules/codex.ts';
import { iconFindings } from '../../verify/rules/icons.ts';
import { manifestFindings } from '../../verify/rules/manifest.ts';
import { leadsIntoReadme, readmeFindings } from '../../verify/rules/readme.ts';

describe('package.json', () => {
  const good = {
    name: 'n8n-nodes-example',
    version: '1.0.0',
    description: 'An example',
    license: 'MIT',
    keywords: ['n8n-community-node-package'],
    homepage: 'https://example.com#readme',
    author: { name: 'Ada', email: 'ada@example.com' },
    repository: { type: 'git', url: 'git+https://example.com/ada/example.git' },
    files: ['dist'],
    scripts: { build: 'tsc', test: 'jest' },
    n8n: {
      n8nNodesApiVersion: 1,
      strict: true,
      credentials: ['dist/credentials/A.credentials.js'],
      nodes: ['dist/nodes/A.node.js'],
    },
    peerDependencies: { 'n8n-workflow': '*' },
  };

  it('passes with what n8n asks for', () => {
    expect(manifestFindings(good)).toEqual([]);
  });

  it.each([
    ['overrides', { overrides: { a: '1' } }, /^overrides/],
    ['dependencies, even none', { dependencies: {} }, /^dependencies/],
    ['a script that runs when it is installed', { scripts: { postinstall: 'node x' } }, /^scripts\.postinstall/],
    ['a prepare script', { scripts: { prepare: 'husky' } }, /^scripts\.prepare/],
    ['another peer', { peerDependencies: { 'n8n-workflow': '*', zod: '*' } }, /^peerDependencies/],
    ['a range for its peer', { peerDependencies: { 'n8n-workflow': '>=1' } }, /^peerDependencies/],
    ['an author without an e-mail address', { author: { name: 'Ada' } }, /^author\.email/],
    ['another license', { license: 'Apache-2.0' }, /^license/],
    ['no homepage', { homepage: undefined }, /^homepage/],
    ['sources among its files', { files: ['dist', 'nodes'] }, /^files/],
    ['strict mode switched off', { n8n: { ...good.n8n, strict: false } }, /^n8n\.strict/],
    ['a node outside of dist', { n8n: { ...good.n8n, nodes: ['nodes/A.node.ts'] } }, /^n8n\.nodes/],
  ])('is refused with %s', (_what, change, finding) => {
    expect(manifestFindings({ ...good, ...change })).toEqual([expect.stringMatching(finding)]);
  });
});

describe('an icon', () => {
  const square = '<svg viewBox="0 0 60 60"></svg>';
  const files: Record<string, string> = {
    'a.svg': square,
    'a.dark.svg': square,
    'wide.svg': '<svg viewBox="0 0 80 60"></svg>',
    'active.svg': '<svg viewBox="0 0 60 60"><script/></svg>',
  };
  const findings = (light: string, dark: string) => iconFindings({ light, dark }, (path) => files[path]);

  it('passes as two square drawings', () => {
    expect(findings('file:a.svg', 'file:a.dark.svg')).toEqual([]);
  });

  it.each([
    ['that is not square', findings('file:wide.svg', 'file:a.dark.svg'), /not square/],
    ['that is not there', findings('file:a.svg', 'file:b.svg'), /not there/],
    ['that is no SVG file', findings('file:a.png', 'file:a.dark.svg'), /not an SVG/],
    ['with a script in it', findings('file:active.svg', 'file:a.dark.svg'), /more than a drawing/],
    ['that is the same in the dark', findings('file:a.svg', 'file:a.svg'), /same file/],
    ['for one theme only', iconFindings('file:a.svg', (path) => files[path]), /light and dark/],
  ])('is refused %s', (_what, found, finding) => {
    expect(found).toEqual([expect.stringMatching(finding)]);
  });
});

describe('a codex file', () => {
  const link = [{ url: 'https://example.com#readme' }];
  const good = {
    node: 'n8n-nodes-example.a',
    nodeVersion: '1.0',
    codexVersion: '1.0',
    categories: ['Communication'],
    resources: { credentialDocumentation: link, primaryDocumentation: link },
    alias: ['form'],
  };
  const findings = (change: object) => codexFindings(JSON.stringify({ ...good, ...change }), good.node);

  it('passes when it is complete', () => {
    expect(findings({})).toEqual([]);
  });

  it.each([
    ['without resources', { resources: undefined }, /^resources/],
    ['of another node', { node: 'n8n-nodes-example.b' }, /^node: is/],
    ['with a group that the node panel does not have', { categories: ['Forms'] }, /^categories/],
    ['without words to find it by', { alias: [] }, /^alias/],
  ])('is refused %s', (_what, change, finding) => {
    expect(findings(change)).toEqual([expect.stringMatching(finding)]);
  });

  it('is refused when it is missing', () => {
    expect(codexFindings(undefined, good.node)).toEqual(['is not there']);
  });
});

describe('the README', () => {
  const sections = [
    'Install',
    'Credential',
    'The NeetoForm node',
    'The NeetoForm Trigger',
    'Your first workflow',
    'Troubleshooting',
    'Privacy',
    'Compatibility',
  ];
  const readme = `# A package\n\nSee [the node](#the-neetoform-node).\n${sections.map((title) => `\n## ${title}\n\nAnd so on.\n`).join('')}`;

  it('passes with every section', () => {
    expect(readmeFindings(readme, ['And so on'])).toEqual([]);
  });

  it.each([
    ['a section missing', readme.replace('## Privacy', '## Else'), [], /privacy/],
    ['a link to a heading that is not there', `${readme}[x](#nowhere)`, [], /#nowhere/],
    ['a parameter that it does not name', readme, ['Look-Back'], /Look-Back/],
    ['a heading inside of code only', readme.replace('## Privacy', '```\n## Privacy\n```'), [], /privacy/],
  ])('is refused with %s', (_what, content, words, finding) => {
    expect(readmeFindings(content, words)).toEqual([expect.stringMatching(finding)]);
  });

  it.each([
    ['https://example.com#privacy', true],
    ['https://example.com#readme', true],
    ['https://example.com#nowhere', false],
    ['https://elsewhere.example#privacy', false],
  ])('has what %s leads to: %s', (link, leads) => {
    expect(leadsIntoReadme(link, 'https://example.com#readme', readme)).toBe(leads);
  });
});
