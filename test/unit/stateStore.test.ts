import type { IDataObject } from 'n8n-workflow';
import { StateStore } from '../../nodes/NeetoForm/polling/stateStore';
import { packState, unpackState, type TriggerState } from '../../nodes/NeetoForm/polling/state';
import { systemClock } from '../../nodes/NeetoForm/api/clock';
import { placeholderNode } from '../support/engine/workflow';

const NODE = placeholderNode('Trigger');
const COPY_KEY = `neetoFormTrigger:${NODE.id}`;
const WORKSPACE = 'acme.neetoform.com';

let own: IDataObject;
let copies: IDataObject;
beforeEach(() => {
  [own, copies] = [{}, {}];
});

let key: string;
let now = Date.UTC(2026, 0);
let triggers = 0;
beforeEach(() => {
  // What a process remembers is kept by trigger.
  key = `trigger ${++triggers}`;
  now = Date.UTC(2026, 0);
});

const open = (name = NODE.name, workspace = WORKSPACE) => {
  const getWorkflowStaticData = (type: string) => (type === 'node' ? own : copies);
  const clock = { ...systemClock, now: () => now };
  return new StateStore({
    node: { ...NODE, name },
    key,
    clock,
    workspace: `https://${workspace}`,
    context: { getWorkflowStaticData },
  });
};
/** The revision of the state that holds; 0 when there is none. */
const revisionOf = (store = open()) => Number(store.state?.position ?? 0);
const stored = (revision: number, more: IDataObject = {}): IDataObject => {
  const { id: nodeId, name } = NODE;
  const content = { nodeId, name, workspace: WORKSPACE, position: `${revision}`, forms: {} };
  return { ...content, revision, hasEmitted: false, savedAt: now, ...more };
};
const stateAt = (from: number): TriggerState => ({
  forms: new Map([['form', { cursor: { from, recent: from, look: from, known: new Map() } }]]),
});
const ownRevision = () => (own.state as IDataObject | undefined)?.revision;

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
  ['no time', stored(3, { savedAt: undefined })],
])('starts from nothing when n8n kept %s', (_, state) => {
  Object.assign(own, { state });
  Object.assign(copies, { [COPY_KEY]: state });
  expect([open().isKnown, open().state]).toEqual([false, undefined]);
});

it.each<[what: string, form: unknown]>([
  ['nothing', undefined],
  ['a list', []],
  ['no start of the window', { recent: 5, known: '' }],
  ['a start of the window that is no number', { from: '5', recent: 5, known: '' }],
  ['no time at which to look', { from: 5, known: '' }],
])('starts a form anew of which the state has %s', (_, form) => {
  expect(unpackState({ forms: { form } }).forms).toEqual(new Map());
});

it('leaves out all else that is not of its format', () => {
  expect(unpackState({ forms: 'none', newestForm: '5', position: 5 })).toEqual({ forms: new Map() });
});

it('reads what it stored, after n8n kept it as JSON', () => {
  const uuid = '0c8f3a52-7d1e-4b86-9a40-2e8d6c1b7f93';
  const known = new Map([uuid, uuid.toUpperCase(), `x${uuid}`, '7', 'ä b+1~'].map((id, index) => [id, 1_000 + index]));
  const state: TriggerState = {
    newestForm: 1,
    position: 'a',
    forms: new Map([
      [
        'a',
        {
          cursor: { from: 1_000, recent: 1_002, look: 1_001, known },
          awaySince: 5,
          count: 3,
          lookedAt: 4,
        },
      ],
      ['c', { cursor: { from: 0, recent: 0, look: 0, known: new Map() } }],
    ]),
  };
  expect(unpackState(JSON.parse(JSON.stringify(packState(state))) as IDataObject)).toEqual(state);
});

it('knows of the state of another workspace, does not use it, and counts on from its revision', () => {
  own.state = stored(3, { workspace: 'other.neetoform.com' });
  expect([open().isKnown, open().state, open().isLost]).toEqual([true, undefined, true]);
  open().save(stateAt(1), false);
  expect([ownRevision(), open().isLost]).toEqual([4, false]);
});

it('is not lost when this process knew the other workspace too', () => {
  open(NODE.name, 'other.neetoform.com').save(stateAt(1), false);
  expect([open().state, open().isLost]).toEqual([undefined, false]);
});

it('stores nothing when nothing changed', () => {
  open().save(stateAt(1), true);
  open().save(stateAt(1), false);
  expect(own.state).toMatchObject({ revision: 1, hasEmitted: true });
  open().save(stateAt(2), false);
  expect(ownRevision()).toBe(2);
});

it('continues after the later of both revisions', () => {
  own.state = stored(3);
  copies[COPY_KEY] = stored(5, { hasEmitted: true, before: stored(2) });
  expect(revisionOf()).toBe(3);
  open().save(stateAt(1), false);
  expect(ownRevision()).toBe(6);
});

/** A copy under the node's former name. */
const FORMER = { name: 'Form' };
const emitted = (before: number) => ({ hasEmitted: true, before: stored(before) });

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
  expect(revisionOf()).toBe(revision);
});

describe('while n8n keeps no state of its own', () => {
  const emitFiveTimes = (nameOf: (poll: number) => string) => {
    for (let poll = 1; poll <= 5; poll++) {
      open(nameOf(poll)).save(stateAt(poll), poll > 1);
      // n8n drops what the poll stored with the execution.
      own = {};
    }
  };

  it('the copy holds what to fall back on: one state, however often it emits', () => {
    emitFiveTimes(() => NODE.name);
    expect(copies[COPY_KEY]).toMatchObject({ revision: 5, before: { revision: 1 } });
    expect(copies).not.toHaveProperty([COPY_KEY, 'before', 'before']);
  });

  it('the copy of a node that is renamed holds one state too', () => {
    emitFiveTimes((poll) => `Name ${poll}`);
    expect(copies[COPY_KEY]).toMatchObject({ revision: 5, before: { revision: 4 } });
    expect(copies).not.toHaveProperty([COPY_KEY, 'before', 'before']);
  });
});

it('the copy holds nothing to fall back on when n8n kept the state before', () => {
  own.state = stored(6);
  open().save(stateAt(7), true);
  expect(copies[COPY_KEY]).not.toHaveProperty('before');
});

describe('what this process wrote last', () => {
  /** n8n forgets what a poll wrote. */
  const forget = () => {
    own = { ...keptOwn };
    copies = { ...keptCopies };
  };
  let keptOwn: IDataObject;
  let keptCopies: IDataObject;
  beforeEach(() => {
    own.state = stored(3);
    copies[COPY_KEY] = stored(3);
    keptOwn = { ...own };
    keptCopies = { ...copies };
  });
  const fromOf = () => open().state?.forms.get('form')?.cursor.from;

  it('holds when the poll emitted nothing, and n8n stored nothing', () => {
    open().save(stateAt(7), false);
    forget();
    open().save(stateAt(8), false);
    forget();
    expect(fromOf()).toBe(8);
  });

  it('holds no more when n8n has stored something else since', () => {
    open().save(stateAt(7), false);
    forget();
    own.state = stored(4);
    expect(revisionOf()).toBe(4);
  });

  it('is waited for when the poll emitted, for five minutes at most, or until n8n has stored it', () => {
    open().save(stateAt(7), true);
    const written = own.state;
    forget();
    expect([open().isBeingStored, revisionOf()]).toEqual([true, 3]);
    now += 5 * 60_000 - 1;
    expect(open().isBeingStored).toBe(true);
    now += 1;
    expect([open().isBeingStored, revisionOf()]).toEqual([false, 3]);
    now -= 1;
    Object.assign(own, { state: written });
    expect([open().isBeingStored, fromOf()]).toEqual([false, 7]);
  });

  it('is waited for also when n8n has stored the copy alone', () => {
    open().save(stateAt(7), true);
    own = { ...keptOwn };
    expect(open().isBeingStored).toBe(true);
  });
});

it('removes the copies that no poll has written for 90 days, and nothing else', () => {
  const day = 24 * 60 * 60_000;
  copies['neetoFormTrigger:old'] = stored(1, { savedAt: now - 90 * day });
  copies['neetoFormTrigger:other'] = stored(1, { savedAt: now - 89 * day });
  copies['neetoFormTrigger:broken'] = 'text';
  copies['somebody else'] = { savedAt: 0 };
  open().save(stateAt(1), false);
  expect(Object.keys(copies).toSorted()).toEqual([COPY_KEY, 'neetoFormTrigger:other', 'somebody else'].toSorted());
});
