import { chooseState, type FoundStates, type StoredState } from '../../nodes/NeetoForm/polling/chooseState';

/** A state that the node's polls wrote, by default one without items. */
function state(revision: number, changes: Partial<StoredState> = {}): StoredState {
  const content = { forms: {} };
  return { nodeId: 'id', name: 'Trigger', workspace: 'w', revision, time: 0, hasEmitted: false, content, ...changes };
}

const emitted = (revision: number, changes: Partial<StoredState> = {}) =>
  state(revision, { hasEmitted: true, ...changes });

/** What this process wrote when n8n had stored a revision. */
const written = (which: StoredState, foundRevision: number) => ({ state: which, foundRevision });

it.each<[situation: string, found: Partial<FoundStates>, revision: number | undefined]>([
  ['nothing, before the first publication', {}, undefined],
  ['in memory: what the last poll wrote', { own: state(2), copy: state(2), written: written(state(2), 1) }, 2],
  ['in memory: what the last poll with items wrote', { own: emitted(2), copy: emitted(2) }, 2],
  [
    'in memory, published again: what this process wrote without items, which the database lacks',
    { own: emitted(2), copy: emitted(2), written: written(state(4), 2), isExecuted: true },
    4,
  ],
  [
    'in memory, published again while n8n stores items: what this process wrote, because n8n executes the items',
    { own: state(2), copy: state(2), written: written(emitted(3), 2), isExecuted: true },
    3,
  ],
  [
    'in memory, published again during a poll: what the database has, because n8n discarded what the poll emitted',
    { own: state(2), copy: state(2), written: written(emitted(3, { before: state(2) }), 2) },
    2,
  ],
  [
    'in memory, the same after a poll without items: what that one wrote, because the database lacks it',
    { own: emitted(2), copy: emitted(2), written: written(emitted(4, { before: state(3) }), 2) },
    3,
  ],
  ['in memory, started again: what the database has', { own: emitted(2), copy: emitted(2), isExecuted: true }, 2],
  [
    'scheduler: what this process wrote without items, which is not stored',
    { own: emitted(2), copy: emitted(2), written: written(state(3), 2) },
    3,
  ],
  [
    'scheduler: what n8n has stored, while it stores what another poll emitted',
    { own: state(2), copy: state(2), written: written(emitted(3), 2) },
    2,
  ],
  [
    'scheduler: what n8n has stored since this process wrote its state, for another process may have polled',
    { own: emitted(4), copy: emitted(4), written: written(state(5), 3) },
    4,
  ],
  ['durable cursors: the copy of an activation without items', { copy: state(1) }, 1],
  ['durable cursors: the same, when an earlier own state is there', { own: emitted(3), copy: state(4) }, 4],
  ['durable cursors: the own state of a poll without items, which has no copy', { own: state(5), copy: state(4) }, 5],
  [
    'durable cursors, killed: the own state before, because the items of the copy were not stored',
    { own: state(2), copy: emitted(3) },
    2,
  ],
  [
    'durable cursors, killed in the first batch: the state that the copy kept, which was never an own state',
    { copy: emitted(2, { before: state(1) }) },
    1,
  ],
  [
    'durable cursors, killed in the first batch behind an activation: the state that the copy kept, being newer',
    { own: state(2), copy: emitted(4, { before: state(3) }) },
    3,
  ],
  ['renamed: the copy, because n8n finds no own state', { copy: emitted(3), nodeName: 'Answers' }, 3],
  [
    'renamed there and back: the copy, because the own state was left behind under this name',
    { own: emitted(2), copy: emitted(5, { name: 'Answers' }) },
    5,
  ],
  [
    'durable cursors, renamed: the own state, found by the ID',
    { own: state(4), copy: emitted(3), nodeName: 'Answers' },
    4,
  ],
  [
    'durable cursors, killed, then renamed: the own state before, found by the ID',
    { own: state(2), copy: emitted(3), nodeName: 'Answers' },
    2,
  ],
  [
    'durable cursors, renamed there and back, published again during a poll: the state before, for n8n dropped the items',
    { own: state(2), copy: emitted(4, { name: 'Answers', before: state(3) }), written: written(emitted(4), 3) },
    3,
  ],
  [
    'renamed at once: the copy, because n8n executes what its poll emitted',
    { copy: emitted(3), nodeName: 'Answers', written: written(emitted(3, { before: state(2) }), 2), isExecuted: true },
    3,
  ],
  ['nothing but a copy with items: the copy, rather than a new start', { copy: emitted(2) }, 2],
])('what holds is %s', (_, found, revision) => {
  expect(chooseState({ nodeName: 'Trigger', isExecuted: false, ...found })?.revision).toBe(revision);
});

it('of two with one revision, the own state holds, so that nothing is stored again', () => {
  const found = { own: state(2), copy: state(2), written: written(state(2), 2) };
  expect(chooseState({ ...found, nodeName: 'Trigger', isExecuted: true })).toBe(found.own);
});
