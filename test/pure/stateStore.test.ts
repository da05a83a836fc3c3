import type { IDataObject } from 'n8n-workflow';
import { packState, unpackState, type TriggerState } from '../../nodes/NeetoForm/polling/state';
import {
  chooseState,
  loadState,
  type FoundStates,
  type StateAtStart,
  type StoredState,
} from '../../nodes/NeetoForm/polling/stateStore';
import { placeholderNode } from '../support/engine/workflow';
import { pollSession } from './pollSession';

const NODE = placeholderNode('Trigger');
const COPY_KEY = `neetoFormTrigger:${NODE.id}`;
const WORKSPACE = 'acme.neetoform.com';

const quiet = (revision: number, more: IDataObject = {}): StoredState => {
  const content = { position: `${revision}`, forms: {} };
  const { id: nodeId, name } = NODE;
  return { nodeId, name, workspace: WORKSPACE, revision, hasEmitted: false, content, ...more };
};
const emitted = (revision: number, more: IDataObject = {}) => quiet(revision, { hasEmitted: true, ...more });
/** Written when the node had another name. */
const FORMER = { name: 'Former' };
const OTHER = { name: 'Other' };

it.each<[what: string, FoundStates, revision: number | undefined, isExecuting?: boolean]>([
  ['at the first publication, nothing', {}, undefined],
  // However n8n stores.
  ['the latest state', { own: emitted(7), copy: emitted(7), process: emitted(7) }, 7],
  ['the latest state after a restart', { own: emitted(7), copy: emitted(7) }, 7],
  ['the own state when both are equal', { own: quiet(3), copy: quiet(3, { content: { position: '4' } }) }, 3],
  // In memory, and with n8n's scheduler without durable cursors: n8n stores own state and copy at once, after polls that emit.
  [
    'the latest state, though n8n has stored none after polls without items',
    { own: emitted(3), copy: emitted(3), process: quiet(9) },
    9,
  ],
  ['what n8n had stored, when it starts again after such polls', { own: emitted(3), copy: emitted(3) }, 3],
  ['the copy when the node was renamed', { copy: emitted(5, FORMER) }, 5],
  [
    'the copy when the node was renamed after polls without items',
    { copy: quiet(5, FORMER), process: quiet(6, FORMER) },
    6,
  ],
  ['the copy when the node was renamed back', { own: emitted(1), copy: emitted(5, FORMER) }, 5],
  ['the copy when the node was renamed twice, and back', { own: quiet(1), copy: quiet(5, FORMER) }, 5],
  // With durable cursors: n8n stores the copy alone, then the own state together with what was emitted.
  ['the copy when n8n has dropped what an activation without items wrote', { copy: quiet(1), process: quiet(1) }, 1],
  ['the copy of such an activation after a restart', { own: emitted(4), copy: quiet(5) }, 5],
  ['the own state when the copy was not stored, for the polls emitted nothing', { own: quiet(9), copy: emitted(6) }, 9],
  ['the state before when n8n died before it stored what was emitted', { own: quiet(5), copy: emitted(6) }, 5],
  ['the same when n8n has not stored it yet', { own: quiet(5), copy: emitted(6), process: emitted(6) }, 5],
  ['the same when the node was renamed since', { own: quiet(5, FORMER), copy: emitted(6, FORMER) }, 5],
  ['the same when the node was renamed before, and since', { own: quiet(5, OTHER), copy: emitted(6, FORMER) }, 5],
  [
    "the copy's state before, when n8n died in the first poll that emitted",
    { own: quiet(3, { workspace: 'other' }), copy: emitted(5, { before: quiet(4) }) },
    4,
  ],
  ['the copy when n8n has no cursor any more: an import, or duplicate IDs', { copy: emitted(6) }, 6],
  [
    'what a timer emitted while n8n published the workflow with the state before',
    { own: quiet(1), copy: quiet(1), process: emitted(2) },
    2,
    true,
  ],
  // Two processes of n8n.
  ['what another process has stored', { own: emitted(4), copy: emitted(4) }, 4],
])('holds %s', (_, found, revision, isExecuting = false) => {
  expect(chooseState(found, NODE.name, isExecuting)?.revision).toBe(revision);
});

/** n8n's database, the workflow's name in it, and the time. */
let staticData: IDataObject;
let workflowId: string;
let storing: AbortController;
let workflows = 0;
beforeEach(() => {
  [staticData, workflowId, storing] = [{}, `workflow ${++workflows}`, new AbortController()];
});

interface PollOptions {
  name?: string;
  workspace?: string;
  others?: string[];
  isExecuting?: boolean;
  timeout?: (ms: number) => AbortSignal;
}

/** A poll that begins with what n8n has stored. What it stores itself is in `staticData` unless n8n forgets it. */
const begin = ({
  name = NODE.name,
  workspace = WORKSPACE,
  others = [],
  isExecuting = false,
  ...options
}: PollOptions = {}) => {
  const node = { ...NODE, name };
  const [url, nodes] = [`https://${workspace}`, others.map((other) => placeholderNode(other))];
  const timeout = options.timeout ?? (() => storing.signal);
  const session = pollSession({ node, others: nodes, workflowId, staticData, workspace: url, timeout });
  const start = loadState(session, isExecuting);
  const save = (from: number, hasEmitted = false) => start.save(stateAt(from), hasEmitted);
  return { start, save };
};
const stateAt = (from: number): TriggerState => ({
  forms: new Map([['form', { cursor: { from, recent: from, look: from, known: new Map() } }]]),
});
const fromOf = ({ state }: StateAtStart) => state?.forms.get('form')?.cursor.from;
const store = (own: unknown, copy: unknown, name = NODE.name) => {
  staticData = { [`node:${name}`]: { state: own }, global: { [COPY_KEY]: copy } };
};
const copies = () => (staticData.global ?? {}) as IDataObject;
const copy = () => copies()[COPY_KEY] as StoredState | undefined;
const own = (name = NODE.name) => (staticData[`node:${name}`] as IDataObject | undefined)?.state as StoredState;

it.each<[what: string, state: unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'state'],
  ['a list', [quiet(3)]],
  ['that of another node ID', quiet(3, { nodeId: 'node-2' })],
  ['no node ID', quiet(3, { nodeId: undefined })],
  ['a name that is no text', quiet(3, { name: 1 })],
  ['a workspace that is no text', quiet(3, { workspace: null })],
  ['a revision that is no number', quiet(3, { revision: '3' })],
  ['no sign whether the poll emitted something', quiet(3, { hasEmitted: 'no' })],
  ['no content', quiet(3, { content: undefined })],
])('starts from nothing when n8n kept %s', (_, state) => {
  store(state, state);
  expect(begin().start).toMatchObject({ isFirst: true, state: undefined });
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
  expect(unpackState({ forms: 'none', listedTo: '5', position: 5 })).toEqual({ forms: new Map() });
});

it('reads what it stored, after n8n kept it as JSON', () => {
  const uuid = '0c8f3a52-7d1e-4b86-9a40-2e8d6c1b7f93';
  const known = new Map([uuid, uuid.toUpperCase(), `x${uuid}`, '7', 'ä b+1~'].map((id, index) => [id, 1_000 + index]));
  const state: TriggerState = {
    listedTo: 1,
    position: 'a',
    forms: new Map([
      [
        'a',
        {
          cursor: { from: 1_000, recent: 1_002, look: 1_001, known },
          archivedSince: 5,
          missingSince: 6,
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
  store(quiet(3, { workspace: 'other.neetoform.com' }), undefined);
  const { start, save } = begin();
  expect(start).toMatchObject({ isFirst: false, state: undefined, isLost: true });
  save(1);
  expect(own().revision).toBe(4);
  expect(begin().start.isLost).toBe(false);
});

it('is not lost when this process knew the other workspace too', () => {
  begin({ workspace: 'other.neetoform.com' }).save(1);
  expect(begin().start).toMatchObject({ state: undefined, isLost: false });
});

it('stores nothing when nothing changed', () => {
  begin().save(1, true);
  begin().save(1);
  expect(own()).toMatchObject({ revision: 1, hasEmitted: true });
  begin().save(2);
  expect(own().revision).toBe(2);
});

it('continues after the latest revision, also when another state holds', () => {
  store(quiet(3), emitted(5));
  const { start, save } = begin();
  expect(start.state?.position).toBe('3');
  save(1);
  expect([own().revision, copy()?.revision]).toEqual([6, 6]);
});

describe('while n8n keeps no state as the own one of a node', () => {
  it('the copy has what to fall back on, however often it emits', () => {
    begin().save(1);
    for (let poll = 2; poll <= 4; poll++) {
      // n8n drops what the poll stored with the execution, and starts again.
      staticData = { global: copies() };
      workflowId += "'";
      expect(fromOf(begin().start)).toBe(1);
      begin().save(poll, true);
    }
    begin().save(5, true);
    expect(fromOf(begin().start)).toBe(5);
    expect(copy()?.before).toBeUndefined();
  });

  it('the copy under its former name is replaced: n8n stores it together with the own one', () => {
    store(emitted(1), emitted(1));
    begin({ name: 'Second' }).save(2, true);
    expect(fromOf(begin({ name: 'Third' }).start)).toBe(2);
  });
});

describe('what this process wrote last', () => {
  /** n8n forgets what a poll wrote. */
  const forget = () => store(quiet(3), quiet(3));
  beforeEach(forget);

  it('holds when the poll emitted nothing, and n8n stored nothing', () => {
    begin().save(7);
    forget();
    begin().save(8);
    forget();
    expect(fromOf(begin().start)).toBe(8);
  });

  it('holds no more when another process has stored something since, also after fewer changes', () => {
    begin().save(7);
    forget();
    begin().save(8);
    store(emitted(4), emitted(4));
    expect(begin().start.state?.position).toBe('4');
  });

  it('holds where timers poll, also when it emitted: n8n executes that as long as the process lives', () => {
    begin({ isExecuting: true }).save(7, true);
    forget();
    const { start } = begin({ isExecuting: true });
    expect([start.isBeingStored, fromOf(start)]).toEqual([false, 7]);
  });

  it('is waited for when the poll emitted, until n8n has stored it or had five minutes, whatever the clock says', () => {
    const times: number[] = [];
    const timeout = (ms: number) => {
      times.push(ms);
      return storing.signal;
    };
    begin({ timeout }).save(7, true);
    const [written, writtenCopy] = [own(), copy()];
    expect(times.at(-1)).toBe(5 * 60_000);
    forget();
    expect(begin().start).toMatchObject({ isBeingStored: true, state: { position: '3' } });
    store(quiet(3), writtenCopy);
    expect(begin().start.isBeingStored).toBe(true);
    store(written, writtenCopy);
    const { start } = begin();
    expect([start.isBeingStored, fromOf(start)]).toEqual([false, 7]);
    forget();
    storing.abort();
    expect(begin().start).toMatchObject({ isBeingStored: false, state: { position: '3' } });
  });
});

it('removes the copies of nodes that the workflow has no more, and nothing else', () => {
  store(undefined, undefined);
  Object.assign(copies(), { 'neetoFormTrigger:deleted': quiet(1), 'neetoFormTrigger:Other': 'text', 'some other': 1 });
  begin({ others: ['Other'] }).save(1);
  expect(Object.keys(copies()).toSorted()).toEqual([COPY_KEY, 'neetoFormTrigger:Other', 'some other'].toSorted());
});
