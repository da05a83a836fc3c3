import type { RequestFailure } from '../../nodes/NeetoForm/api/failure';
import { ConcurrencyLimiter } from '../../nodes/NeetoForm/api/concurrencyLimiter';

const turn = async () => await new Promise((resolve) => setImmediate(resolve));

/** Starts tasks that end when told. @returns their numbers in the order in which they began, and what ends one */
function startTasks(limiter: ConcurrencyLimiter, count: number) {
  const begun: number[] = [];
  const ends: Array<() => void> = [];
  const tasks = Array.from(
    { length: count },
    async (_, number) =>
      await limiter.run(async () => {
        begun.push(number);
        await new Promise<void>((resolve) => {
          ends[number] = resolve;
        });
      }),
  );
  return { begun, end: (number: number) => ends[number]?.(), done: Promise.all(tasks) };
}

it('runs six tasks at once, and the others in the order in which they came', async () => {
  const { begun, end, done } = startTasks(new ConcurrencyLimiter(), 12);
  await turn();
  expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
  for (let number = 0; number < 12; number++) {
    end(number);
    await turn();
  }
  await done;
  expect(begun).toEqual(Array.from({ length: 12 }, (_, number) => number));
});

it.each<RequestFailure>([
  { kind: 'status', status: 500 },
  { kind: 'no response', reason: 'timeout', unsent: false },
])('keeps running six tasks at once after any other failure: %j', async (failure) => {
  const limiter = new ConcurrencyLimiter();
  limiter.noteFailure(failure);
  const { begun } = startTasks(limiter, 12);
  await turn();
  expect(begun).toHaveLength(6);
});

it('keeps that order after a 429, when it runs one task at a time', async () => {
  const limiter = new ConcurrencyLimiter();
  const { begun, end, done } = startTasks(limiter, 10);
  await turn();
  limiter.noteFailure({ kind: 'status', status: 429 });
  for (const number of [3, 0, 5, 1, 4]) {
    end(number);
    await turn();
    expect(begun).toHaveLength(6);
  }
  for (const number of [2, 6, 7, 8, 9]) {
    end(number);
    await turn();
  }
  await done;
  expect(begun).toEqual(Array.from({ length: 10 }, (_, number) => number));
});

it('frees the slot of a task that fails', async () => {
  const limiter = new ConcurrencyLimiter();
  limiter.noteFailure({ kind: 'status', status: 429 });
  const failing = limiter.run(async () => await Promise.reject(new Error('failed')));
  const next = limiter.run(async () => await Promise.resolve('next'));
  await expect(failing).rejects.toThrow('failed');
  await expect(next).resolves.toBe('next');
});
