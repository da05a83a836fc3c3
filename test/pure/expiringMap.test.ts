import { ExpiringMap } from '../../nodes/NeetoForm/polling/expiringMap';

it('remembers something for its time, and twice as long at most when the clock is set back', () => {
  const at = (now: number) => {
    const memory = new ExpiringMap<string>();
    memory.set('a', 'x', 100, 10);
    return memory.get('a', now);
  };
  expect([90, 91, 100, 109, 110].map(at)).toEqual([undefined, 'x', 'x', 'x', undefined]);
  expect(new ExpiringMap().get('b', 100)).toBeUndefined();
});

it('brings nothing back that has expired when the clock is set back', () => {
  const memory = new ExpiringMap<string>();
  memory.set('a', 'x', 100, 10);
  expect([109, 110, 105].map((now) => memory.get('a', now))).toEqual(['x', undefined, undefined]);
});

it('removes all whose keys begin in the same way', () => {
  const memory = new ExpiringMap<string>();
  for (const key of ['a 1', 'a 2', 'b 1']) memory.set(key, 'x', 100, 10);
  memory.deleteAll('a ');
  expect(['a 1', 'a 2', 'b 1'].map((key) => memory.get(key, 100))).toEqual([undefined, undefined, 'x']);
});

it('removes what has expired when something is set, and nothing else', () => {
  const memory = new ExpiringMap<string>();
  memory.set('short', 'x', 100, 10);
  memory.set('long', 'x', 100, 100);
  memory.set('other', 'x', 150, 10);
  // The clock is set back: what was removed does not come back.
  expect(['short', 'long'].map((key) => memory.get(key, 105))).toEqual([undefined, 'x']);
});
