import { ProcessMemory } from '../../nodes/NeetoForm/polling/processMemory';

it('remembers something for its time, and not while the clock is set back', () => {
  const memory = new ProcessMemory<string>();
  memory.set('a', 'x', 100, 10);
  const times = [99, 100, 109, 110];
  expect(times.map((now) => memory.get('a', now))).toEqual([undefined, 'x', 'x', undefined]);
  expect(memory.get('b', 100)).toBeUndefined();
  memory.delete('a');
  expect(memory.get('a', 100)).toBeUndefined();
});

it('removes what expired, in every memory, and nothing else', () => {
  const memories = [new ProcessMemory<string>(), new ProcessMemory<string>()];
  for (const memory of memories) {
    memory.set('short', 'x', 100, 10);
    memory.set('long', 'x', 100, 100);
  }
  ProcessMemory.prune(150);
  const left = memories.map((memory) => ['short', 'long'].map((key) => memory.get(key, 105)));
  expect(left).toEqual([
    [undefined, 'x'],
    [undefined, 'x'],
  ]);
});
