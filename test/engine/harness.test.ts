import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { ICredentialType, IDataObject, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';

import { createEngine } from '../support/engine/createEngine';
import { clearLog, deepText, loggedText } from '../support/engine/log';

interface Received {
  url: string;
  headers: IncomingHttpHeaders;
}

const received: Received[] = [];
let server: Server;
let baseUrl: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const url = request.url ?? '';
    received.push({ url, headers: request.headers });
    const status = request.headers['x-key'] !== 'secret-key' ? 401 : url.includes('missing') ? 404 : 200;
    const page = new URL(url, 'http://localhost').searchParams.get('page');
    const body =
      page === null ? { path: url } : { rows: page === '3' ? [] : [{ row: `${page}a` }, { row: `${page}b` }] };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
});

beforeEach(() => {
  received.length = 0;
  clearLog();
});

const text = (value: unknown) => (typeof value === 'string' ? value : '');

const keyByFunction: ICredentialType = {
  name: 'tinyApi',
  displayName: 'Tiny API',
  properties: [
    { displayName: 'Base URL', name: 'baseUrl', type: 'string', default: '' },
    { displayName: 'Key', name: 'key', type: 'string', default: '' },
  ],
  authenticate: (credentials, requestOptions) =>
    Promise.resolve({ ...requestOptions, headers: { ...requestOptions.headers, 'X-Key': text(credentials.key) } }),
  test: {
    request: { baseURL: '={{$credentials.baseUrl}}', url: '/me' },
    rules: [{ type: 'responseCode', properties: { value: 401, message: 'The key was refused' } }],
  },
};

const keyByExpression: ICredentialType = {
  ...keyByFunction,
  authenticate: { type: 'generic', properties: { headers: { 'X-Key': '={{$credentials.key}}' } } },
};

const description: INodeTypeDescription = {
  displayName: 'Tiny',
  name: 'tiny',
  group: ['input'],
  version: 1,
  description: 'A node for the tests of the harness',
  defaults: { name: 'Tiny' },
  inputs: ['main'],
  outputs: ['main'],
  credentials: [{ name: 'tinyApi', required: true }],
  requestDefaults: { baseURL: '={{$credentials.baseUrl}}' },
  requestOperations: {
    async pagination(requestOptions) {
      const items: INodeExecutionData[] = [];
      for (let page = 1; ; page += 1) {
        requestOptions.options.qs = { page };
        const [answer] = await this.makeRoutingRequest(requestOptions);
        const rows = answer?.json.rows as IDataObject[];
        if (rows.length === 0) return items;
        items.push(...rows.map((json) => ({ json, pairedItem: { item: this.getItemIndex() } })));
      }
    },
  },
  properties: [
    {
      displayName: 'Operation',
      name: 'operation',
      type: 'options',
      noDataExpression: true,
      default: 'get',
      options: [
        { name: 'Get', value: 'get' },
        { name: 'Get Many', value: 'getAll', routing: { request: { url: '/things' }, send: { paginate: true } } },
      ],
    },
    {
      displayName: 'Thing',
      name: 'thing',
      type: 'resourceLocator',
      default: { mode: 'id', value: '' },
      displayOptions: { show: { operation: ['get'] } },
      // `$value` is extracted by the engine; `$parameter.thing` only when the editor has left its `__regex` in the value.
      routing: { request: { url: '=/things/{{encodeURIComponent($value)}}' } },
      modes: [
        { displayName: 'By ID', name: 'id', type: 'string' },
        {
          displayName: 'By URL',
          name: 'url',
          type: 'string',
          extractValue: { type: 'regex', regex: '/things/([^/]+)' },
        },
      ],
    },
  ],
};

const tiny: INodeType = {
  description,
  methods: {
    listSearch: {
      async things(filter, paginationToken) {
        const { baseUrl: host } = await this.getCredentials<{ baseUrl: string }>('tinyApi');
        const answer: unknown = await this.helpers.httpRequestWithAuthentication.call(this, 'tinyApi', {
          url: `${host}/list`,
        });
        const name = [filter, paginationToken, text(this.getCurrentNodeParameter('operation')), deepText(answer)].join(
          ' ',
        );
        return { results: [{ name, value: '1' }] };
      },
    },
  },
};

const tinyTrigger: INodeType = {
  description: {
    ...description,
    name: 'tinyTrigger',
    polling: true,
    inputs: [],
    requestDefaults: undefined,
    requestOperations: undefined,
    properties: [],
  },
  async poll() {
    const { key } = await this.getCredentials<{ key: string }>('tinyApi');
    const state = this.getWorkflowStaticData('node');
    const polls = Number(state.polls ?? 0) + 1;
    state.polls = polls;
    if (key === 'broken') throw new NodeOperationError(this.getNode(), `Poll ${String(polls)} broke`);
    this.logger.info(`Poll number ${String(polls)}`, { budget: this.getPollBudgetMs() });
    if (key === 'failing') return [[{ json: { error: `Poll ${String(polls)} failed` } }]];
    return polls % 3 === 0 ? [[{ json: { polls, mode: this.getMode(), activation: this.getActivationMode() } }]] : null;
  },
};

const { runNode, createPoller, createPollingWorkflow, listSearch, testCredential } = createEngine([keyByFunction]);
const credentials = (key = 'secret-key') => ({ baseUrl, key });

describe('an action node on the engine', () => {
  it('resolves an expression of the description and one of the user, per item', async () => {
    const items = await runNode(tiny, {
      parameters: { thing: { __rl: true, mode: 'id', value: '={{ $json.id }}' } },
      credentials: credentials(),
      items: [{ id: 'a b' }, { id: 'c/d' }],
    });
    expect(items.map(({ json }) => json)).toEqual([{ path: '/things/a%20b' }, { path: '/things/c%2Fd' }]);
  });

  it.each(['https://x.test/things/42/edit', '={{ $json.link }}'])(
    'takes the id out of a resource locator given as URL: %s',
    async (value) => {
      await runNode(tiny, {
        parameters: { thing: { __rl: true, mode: 'url', value } },
        credentials: credentials(),
        items: [{ link: 'https://x.test/things/42/edit' }],
      });
      expect(received.map(({ url }) => url)).toEqual(['/things/42']);
    },
  );

  it.each([
    ['function', keyByFunction],
    ['expression', keyByExpression],
  ])('authenticates with a credential that is a %s', async (_form, type) => {
    await createEngine([type]).runNode(tiny, { parameters: { thing: '1' }, credentials: credentials() });
    expect(received.map(({ headers }) => headers['x-key'])).toEqual(['secret-key']);
  });

  it('calls a pagination function and keeps the item links it sets', async () => {
    const items = await runNode(tiny, {
      parameters: { operation: 'getAll' },
      credentials: credentials(),
      items: [{}, {}],
    });
    expect(items.map(({ json, pairedItem }) => [json.row, pairedItem])).toEqual(
      [0, 1].flatMap((item) => ['1a', '1b', '2a', '2b'].map((row) => [row, { item }])),
    );
  });

  it('throws what the engine throws', async () => {
    const run = runNode(tiny, { parameters: { thing: 'missing' }, credentials: credentials() });
    await expect(run).rejects.toBeInstanceOf(NodeApiError);
    await expect(run).rejects.toMatchObject({ httpCode: '404' });
  });

  it('carries on after a failed item when told to', async () => {
    const items = await runNode(tiny, {
      parameters: { thing: '={{ $json.id }}' },
      credentials: credentials(),
      items: [{ id: '1' }, { id: 'missing' }, { id: '3' }],
      continueOnFail: true,
    });
    expect(items.map(({ json, error }) => [json.path, error === undefined])).toEqual([
      ['/things/1', true],
      [undefined, false],
      ['/things/3', true],
    ]);
  });

  it('refuses to run without credentials', async () => {
    await expect(runNode(tiny, { parameters: { thing: '1' } })).rejects.toThrow(
      'Node does not have any credentials set',
    );
    expect(received).toEqual([]);
  });

  it('stops requests when the execution is cancelled', async () => {
    const cancelled = AbortSignal.abort();
    await expect(
      runNode(tiny, { parameters: { thing: '1' }, credentials: credentials(), signal: cancelled }),
    ).rejects.toThrow();
    expect(received).toEqual([]);
  });
});

describe('a list in the editor', () => {
  it('gets filter, token, the parameters shown and authenticated requests', async () => {
    const { results } = await listSearch(tiny, 'things', {
      credentials: credentials(),
      filter: 'word',
      paginationToken: '2',
      parameters: { operation: 'get' },
    });
    expect(results[0]?.name).toBe("word 2 get { path: '/list' }");
  });
});

describe('the credential test', () => {
  it('tells what n8n tells', async () => {
    await expect(testCredential(keyByFunction, credentials())).resolves.toEqual({
      status: 'OK',
      message: 'Connection successful!',
    });
    await expect(testCredential(keyByFunction, credentials('wrong'))).resolves.toEqual({
      status: 'Error',
      message: 'The key was refused',
    });
    await expect(testCredential(keyByFunction, { baseUrl: 'http://127.0.0.1:9', key: '' })).resolves.toEqual({
      status: 'Error',
      message: 'ECONNREFUSED',
    });
  });
});

describe('a polling trigger on the engine', () => {
  const poller = (over = {}) => createPoller(tinyTrigger, { parameters: {}, credentials: credentials(), ...over });

  it('keeps the state in memory, and stores it at activation and with items only', async () => {
    const trigger = poller();
    await expect(trigger.activate()).resolves.toBeNull();
    expect(trigger.savedStaticData).toEqual({ 'node:Tiny': { polls: 1 } });

    await expect(trigger.poll()).resolves.toBeNull();
    expect(trigger.staticData).toEqual({ 'node:Tiny': { polls: 2 } });
    expect(trigger.savedStaticData).toEqual({ 'node:Tiny': { polls: 1 } });

    await expect(trigger.poll()).resolves.toEqual([[{ json: { polls: 3, mode: 'trigger', activation: 'activate' } }]]);
    expect(trigger.savedStaticData).toEqual({ 'node:Tiny': { polls: 3 } });
  });

  it('forgets at a restart what was not stored, and at a rename everything', async () => {
    const trigger = poller({ nodeName: 'First' });
    await trigger.activate();
    await trigger.poll();
    trigger.restart();
    expect(trigger.staticData).toEqual({ 'node:First': { polls: 1 } });

    trigger.rename('Second');
    await trigger.poll();
    expect(trigger.staticData).toEqual({ 'node:First': { polls: 1 }, 'node:Second': { polls: 1 } });
  });

  it('starts from any static data it is given', async () => {
    const trigger = poller();
    trigger.staticData = { 'node:Tiny': { polls: 8 } };
    await expect(trigger.poll({ activation: 'update' })).resolves.toEqual([
      [{ json: { polls: 9, mode: 'trigger', activation: 'update' } }],
    ]);
  });

  it('keeps what a throwing poll had already changed, as n8n does', async () => {
    const trigger = poller({ credentials: credentials('broken') });
    await expect(trigger.poll()).rejects.toThrow('Poll 1 broke');
    expect(trigger.staticData).toEqual({ 'node:Tiny': { polls: 1 } });
    expect(trigger.savedStaticData).toEqual({});
  });

  it('stores nothing of an activation poll without items, nor of a throw, when cursors are durable', async () => {
    const trigger = poller({ scheduler: 'durable' });
    await trigger.activate();
    expect(trigger.savedStaticData).toEqual({});
    await trigger.poll();
    trigger.restart();
    await trigger.poll();
    expect(trigger.savedStaticData).toEqual({ 'node:Tiny': { polls: 2 } });
  });

  it('shows a manual test the state without storing it', async () => {
    const trigger = poller({ staticData: { 'node:Tiny': { polls: 2 } } });
    await expect(trigger.poll({ mode: 'manual' })).resolves.toEqual([
      [{ json: { polls: 3, mode: 'manual', activation: 'manual' } }],
    ]);
    expect(trigger.savedStaticData).toEqual({ 'node:Tiny': { polls: 2 } });
  });

  it('records what the node logs', async () => {
    await poller({ pollBudgetMs: 7_777 }).poll();
    expect(loggedText()).toMatch(/Poll number 1[^]*7777/);
  });

  it.each([undefined, 'continueErrorOutput'] as const)(
    'moves error items to the error output, if it has one (%s)',
    async (onError) => {
      const trigger = poller({ onError, credentials: credentials('failing') });
      const item = { json: { error: 'Poll 1 failed' } };
      await expect(trigger.poll()).resolves.toEqual(onError === undefined ? [[item]] : [[], [item]]);
    },
  );
});

describe('a workflow with several polling triggers', () => {
  const trigger = (id: string, name: string) => ({ id, name, parameters: {} });
  const workflow = (scheduler: 'memory' | 'durable', staticData = {}) =>
    createPollingWorkflow(tinyTrigger, {
      triggers: [trigger('a', 'A'), trigger('b', 'B')],
      credentials: { one: credentials() },
      scheduler,
      staticData,
    });
  const polls = (staticData: IDataObject) =>
    Object.fromEntries(
      Object.entries(staticData).map(([key, value]) => [
        key,
        typeof value === 'object' && value && 'polls' in value && value.polls,
      ]),
    );

  it('files static data by name in memory mode: triggers that swap names swap their data', async () => {
    const both = workflow('memory', { 'node:A': { polls: 3 }, 'node:B': { polls: 6 } });
    await both.activate();
    expect(polls(both.savedStaticData)).toEqual({ 'node:A': 4, 'node:B': 7 });
    const first = await both.publish((nodes) =>
      nodes.map((node) => ({ ...node, name: node.name === 'A' ? 'B' : 'A' })),
    );
    expect([...first.keys()]).toEqual(['a', 'b']);
    expect(polls(both.savedStaticData)).toEqual({ 'node:A': 5, 'node:B': 8 });
    await both.poll('a');
    expect(polls(both.savedStaticData)).toEqual({ 'node:A': 5, 'node:B': 9 });
  });

  it('files cursors by id in durable mode: they follow a trigger through a rename', async () => {
    const both = workflow('durable', { 'node:A': { polls: 3 } });
    await both.activate();
    await both.poll('a');
    expect(polls(both.savedStaticData)).toEqual({ 'node:A': 4 });
    await both.publish((nodes) => nodes.map((node) => ({ ...node, name: node.id === 'a' ? 'Renamed' : node.name })));
    await both.poll('a');
    expect(polls(both.savedStaticData)).toEqual({ 'node:A': 3, 'node:Renamed': 5 });
  });

  it('gives a new trigger the data of a deleted one that had its name, and its own copy to those that did not change', async () => {
    const both = workflow('memory');
    await both.activate();
    await both.poll('a');
    await both.poll('a');
    expect(polls(both.savedStaticData)).toEqual({ 'node:A': 3, 'node:B': 1 });
    const first = await both.publish(([, b]) => (b ? [{ ...b, id: 'c', name: 'A' }, b] : []));
    expect([...first.keys()]).toEqual(['c']);
    await expect(both.poll('a')).rejects.toThrow('The trigger a is not active');
    expect(polls(both.staticDataOf('c'))).toEqual({ 'node:A': 4, 'node:B': 1 });

    await both.poll('b');
    await both.poll('b');
    expect(polls(both.savedStaticData)).toEqual({ 'node:A': 3, 'node:B': 3 });
    both.restart();
    expect(polls(both.staticDataOf('c'))).toEqual({ 'node:A': 3, 'node:B': 3 });
  });

  it('returns what each first poll returned or threw', async () => {
    const both = createPollingWorkflow(tinyTrigger, {
      triggers: [trigger('a', 'A'), { ...trigger('b', 'B'), credentialId: 'broken' }],
      credentials: { one: credentials(), broken: credentials('broken') },
    });
    const first = await both.activate();
    expect(first.get('a')).toBeNull();
    expect(first.get('b')).toEqual(new Error('Poll 1 broke'));
  });
});
