import type { IDataObject } from 'n8n-workflow';
import { StateStore } from '../../nodes/NeetoForm/polling/stateStore';
import { packState, unpackState, type TriggerState } from '../../nodes/NeetoForm/polling/triggerState';
import { placeholderNode } from '../support/engine/workflow';

const NODE = placeholderNode('Trigger');
const COPY_KEY = `neetoFormTrigger:${NODE.id}`;
const WORKSPACE = 'acme.neetoform.com';

let own: IDataObject;
let copies: IDataObject;
beforeEach(() => {
  [own, copies] = [{}, {}];
});

const open = (name = NODE.name) => {
  const node = { ...NODE, name };
  const context = { getNode: () => node, getWorkflowStaticData: (type: string) => (type === 'node' ? own : copies) };
  return new StateStore(context, `https://${WORKSPACE}`);
};
const stored = (revision: number, more: IDataObject = {}): IDataObject => {
  const { id: nodeId, name } = NODE;
  return {
    nodeId,
    name,
    workspace: WORKSPACE,
    revision,
    hasEmitted: false,
    position: `${revision}`,
    forms: {},
    ...more,
  };
};
const stateAt = (watermark: number): TriggerState => ({
  forms: new Map([['form', { cursor: { watermark, seenIds: new Map() } }]]),
});

it.each<[what: string, state: unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'state'],
  ['a list', [stored(3)]],
  ['that of another node ID', stored(3, { nodeId: 'node-2' })],
  ['no node ID', stored(3, { nodeId: undefined })],
  ['a name that is no text', stored(3, { name: 1 })],
  ['a workspace that is no text', stored(3, { workspace: null })],
  ['a revision that is no number', stored(3, { revision: '3' })],
  ['no sign whether the poll emitted something', stored(3, { hasEmitted: 'no' })],
])('starts from nothing when n8n kept %s', (_, state) => {
  Object.assign(own, { state });
  Object.assign(copies, { [COPY_KEY]: state });
  expect([open().revision, open().load()]).toEqual([0, undefined]);
});

it.each<[what: string, form: unknown]>([
  ['nothing', undefined],
  ['a list', []],
  ['no watermark', { seenIds: '' }],
  ['a watermark that is no number', { watermark: '5', seenIds: '' }],
])('starts a form anew of which the state has %s', (_, form) => {
  expect(unpackState({ forms: { form } }).forms).toEqual(new Map());
});

it('leaves out all else that is not of its format', () => {
  expect(unpackState({ forms: 'none', startedAt: '5', position: 5 })).toEqual({ forms: new Map() });
});

it('reads what it stored, after n8n kept it as JSON', () => {
  const uuid = '0c8f3a52-7d1e-4b86-9a40-2e8d6c1b7f93';
  const seenIds = new Map(
    [uuid, uuid.toUpperCase(), `x${uuid}`, '7', 'ä b+1~'].map((id, index) => [id, 1_000 + index]),
  );
  const form = { cursor: { watermark: 1_000, seenIds }, count: 3, archivedAt: 5, isResting: true, isMissing: true };
  const plain = { cursor: { watermark: 0, seenIds: new Map() } };
  const state = {
    startedAt: 1,
    position: 'a',
    forms: new Map([
      ['a', form],
      ['b', plain],
    ]),
  };
  expect(unpackState(JSON.parse(JSON.stringify(packState(state))) as IDataObject)).toEqual(state);
});

it('ignores the state of another workspace, and counts on from its revision', () => {
  own.state = stored(3, { workspace: 'other.neetoform.com' });
  expect(open().load()).toBeUndefined();
  expect(open().save(stateAt(1), false)).toBe(4);
});

it('stores nothing when nothing changed', () => {
  expect([open().save(stateAt(1), true), open().save(stateAt(1), false)]).toEqual([1, 1]);
  expect(own.state).toMatchObject({ revision: 1, hasEmitted: true });
  expect(open().save(stateAt(2), false)).toBe(2);
});

it('continues after the later of both revisions', () => {
  own.state = stored(3);
  copies[COPY_KEY] = stored(5, { hasEmitted: true, previous: stored(2) });
  expect(open().revision).toBe(3);
  expect(open().save(stateAt(1), false)).toBe(6);
});

/** A copy under the node's former name. */
const FORMER = { name: 'Form' };
const emitted = (previous: number) => ({ hasEmitted: true, previous: stored(previous) });

it.each<[what: string, own: IDataObject | undefined, copy: IDataObject | undefined, revision: number]>([
  ['the own state if there is no copy', stored(3), undefined, 3],
  ['the copy if n8n lost the own state', undefined, stored(3), 3],
  ['what was before the copy emitted if n8n lost the own state', undefined, stored(3, emitted(2)), 2],
  ['the copy that emitted if nothing was before', undefined, stored(3, { hasEmitted: true }), 3],
  ['the later of both', stored(2), stored(3), 3],
  ['the own state if both are equal', stored(3), stored(3, { position: 'copy' }), 3],
  ['the own state if it is later', stored(4), stored(3), 4],
  ['the own state if the copy emitted after it', stored(2), stored(3, emitted(2)), 2],
  ['what was before the copy emitted if the own state is older', stored(1), stored(3, emitted(2)), 2],
  ['the copy that emitted if the node was renamed', undefined, stored(3, { ...FORMER, ...emitted(2) }), 3],
  ['the copy that emitted if the node was renamed back', stored(1), stored(3, { ...FORMER, ...emitted(2) }), 3],
  ['the own state if n8n renamed it with the node', stored(2, FORMER), stored(3, { ...FORMER, ...emitted(2) }), 2],
])('continues from %s', (_, ownState, copy, revision) => {
  Object.assign(own, { state: ownState });
  Object.assign(copies, { [COPY_KEY]: copy });
  expect(open().revision).toBe(revision);
  expect(open().load()?.position).toBe(`${revision}`);
});

describe('while n8n keeps no state of its own', () => {
  const emitFiveTimes = (nameOf: (watermark: number) => string) => {
    for (let watermark = 1; watermark <= 5; watermark++) {
      open(nameOf(watermark)).save(stateAt(watermark), watermark > 1);
      // n8n drops what the poll stored with the execution.
      own = {};
    }
  };

  it('the copy holds what to fall back on: one state, however often it emits', () => {
    emitFiveTimes(() => NODE.name);
    expect(copies[COPY_KEY]).toMatchObject({ revision: 5, previous: { revision: 1 } });
    expect(copies).not.toHaveProperty([COPY_KEY, 'previous', 'previous']);
  });

  it('the copy of a node that is renamed holds one state too', () => {
    emitFiveTimes((watermark) => `Name ${watermark}`);
    expect(copies[COPY_KEY]).toMatchObject({ revision: 5, previous: { revision: 4 } });
    expect(copies).not.toHaveProperty([COPY_KEY, 'previous', 'previous']);
  });
});

it('the copy holds nothing to fall back on when n8n kept the state before', () => {
  own.state = stored(6);
  open().save(stateAt(7), true);
  expect(copies[COPY_KEY]).not.toHaveProperty('previous');
});
