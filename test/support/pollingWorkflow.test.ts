import { NodeOperationError } from 'n8n-workflow';
import type { IDataObject, INodeType } from 'n8n-workflow';

import { createPoller, createPollingWorkflow, loggedText } from './engine';

/** Counts its polls, and emits at every third. */
const tinyTrigger: INodeType = {
  description: {
    displayName: 'Tiny',
    name: 'tinyTrigger',
    group: ['trigger'],
    version: 1,
    description: 'A trigger for these tests',
    defaults: { name: 'Tiny' },
    polling: true,
    inputs: [],
    outputs: ['main'],
    credentials: [{ name: 'neetoFormApi', required: true }],
    properties: [],
  },
  async poll() {
    const { apiKey } = await this.getCredentials<{ apiKey: string }>('neetoFormApi');
    const state = this.getWorkflowStaticData('node');
    const polls = Number(state.polls ?? 0) + 1;
    state.polls = polls;
    if (apiKey === 'broken') throw new NodeOperationError(this.getNode(), `Poll ${String(polls)} broke`);
    this.logger.info(`Poll number ${String(polls)}`, { budget: this.getPollBudgetMs() });
    if (apiKey === 'failing') return [[{ json: { error: `Poll ${String(polls)} failed` } }]];
    return polls % 3 === 0 ? [[{ json: { polls, mode: this.getMode(), activation: this.getActivationMode() } }]] : null;
  },
};

const credentials = (apiKey = 'good') => ({ apiKey });

describe('a workflow with one polling trigger', () => {
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
    const trigger = poller();
    await trigger.activate();
    await trigger.poll();
    trigger.restart();
    expect(trigger.staticData).toEqual({ 'node:Tiny': { polls: 1 } });

    trigger.rename('Second');
    await trigger.poll();
    expect(trigger.staticData).toEqual({ 'node:Tiny': { polls: 1 }, 'node:Second': { polls: 1 } });
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

  it('records what the node logs, and tells it the budget of a poll', async () => {
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
