import type { IDataObject } from 'n8n-workflow';

import { exampleFiles, isOurs, needsCredential, readExample } from '../n8n/e2e/support/examples';
import { readText } from './repositoryFiles';

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

describe.each(exampleFiles)('examples/%s', (file) => {
  const { name, nodes, pinData, active } = readExample(file);
  const ours = nodes.filter(isOurs);

  it('contains nothing of the n8n it was made in: no credential, no data, no chosen form', () => {
    expect({ active, pinData }).toEqual({ active: false, pinData: {} });
    expect(nodes.filter((node) => node.credentials !== undefined || node.webhookId !== undefined)).toEqual([]);
    const chosen = ours.map(({ parameters }) => (parameters['formId'] as IDataObject | undefined)?.['value'] ?? '');
    expect(chosen.filter((value) => value !== '' && !textOf(value).startsWith('='))).toEqual([]);
  });

  it('has a note about what it does, and numbered notes that name each node that needs the credential', () => {
    const notes = nodes.map(({ parameters }) => textOf(parameters['content']));
    expect(notes.filter((note) => note.startsWith('## '))).toHaveLength(1);
    const steps = notes.filter((note) => note.startsWith('### '));
    expect(steps.map((note) => /^### (\d+)\. /.exec(note)?.[1])).toEqual(steps.map((_, index) => String(index + 1)));
    const unnamed = nodes.filter((node) => !steps.some((note) => note.includes(`*${node.name}*`)));
    expect(unnamed.filter(needsCredential)).toEqual([]);
  });

  it('has no Edit Fields node that reads the names of columns as paths', () => {
    const edits = nodes.filter(({ type }) => type === 'n8n-nodes-base.set').map(({ parameters }) => parameters);
    const taking = edits.filter(({ mode, includeOtherFields }) => mode === 'raw' || includeOtherFields === true);
    expect(taking.filter(({ options }) => (options as IDataObject)['dotNotation'] !== false)).toEqual([]);
  });

  it('is described in the README beside it', () => {
    const readme = readText('examples/README.md');
    expect(readme).toContain(`](${file})`);
    expect(readme).toContain(name);
  });
});

it('the tools of "Ask about submissions" are tools of the MCP server, which a client tries in n8n', () => {
  const toolsOf = (file: string) =>
    readExample(file)
      .nodes.filter(isOurs)
      .map(({ id: _id, position: _, ...tool }) => tool);
  const tools = toolsOf('ask-about-submissions.json');
  expect(tools).toHaveLength(4);
  expect(toolsOf('mcp-server.json')).toEqual(expect.arrayContaining(tools));
});

it('the MCP server asks its clients for a token', () => {
  const server = readExample('mcp-server.json').nodes.find(({ type }) => type.endsWith('.mcpTrigger'));
  expect(server?.parameters).toMatchObject({ authentication: 'bearerAuth' });
});

const templates = readText('examples/templates.md').split(/^## /m).slice(1);

it.each(templates.map((section) => [section.split('\n')[0] ?? '', section]))(
  'the template %s has the title of its workflow, says how it works, what to set up, needs and change, and so does its note',
  (title, section) => {
    const [, file = ''] = /\]\((\S+\.json)\)/.exec(section) ?? [];
    const { name, nodes } = readExample(file);
    expect(name).toBe(title);
    for (const part of ['How it works.', 'Set up', 'Requirements.', 'Change it.'])
      expect(section).toContain(`**${part}`);
    const about = nodes.map(({ parameters }) => textOf(parameters['content'])).find((note) => note.startsWith('## '));
    for (const part of [`## ${title}\n`, '**How it works**', '**Set up**', '**Change it**'])
      expect(about).toContain(part);
  },
);
