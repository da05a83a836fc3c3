import type { RequestFailure } from '../../nodes/NeetoForm/api/failure';
import { ConcurrencyLimiter } from '../../nodes/NeetoForm/api/concurrencyLimiter';
import { numbers, Tasks } from './tasks';

let limiter: ConcurrencyLimiter;
let tasks: Tasks;
let done: Promise<unknown>;
beforeEach(() => {
  [limiter, tasks] = [new ConcurrencyLimiter(), new Tasks()];
  done = Promise.all(numbers(12).map(async (number) => await limiter.run(async () => await tasks.run(number))));
});

it('runs six tasks at once, and the others in the order in which they came', async () => {
  await tasks.end();
  expect(tasks.begun).toEqual(numbers(6));
  await tasks.end(...numbers(12));
  await done;
  expect(tasks.begun).toEqual(numbers(12));
});

it.each<RequestFailure>([
  { kind: 'status', status: 500 },
  { kind: 'no response', reason: 'timeout', unsent: false },
])('keeps running six tasks at once after any other failure: %j', async (failure) => {
  limiter.noteFailure(failure);
  await tasks.end(0, 1);
  expect(tasks.begun).toHaveLength(8);
});

it('keeps that order after a 429, when it runs one task at a time', async () => {
  limiter.noteFailure({ kind: 'status', status: 429 });
  await tasks.end(3, 0, 5, 1, 4);
  expect(tasks.begun).toHaveLength(6);
  await tasks.end(2);
  expect(tasks.begun).toHaveLength(7);
  await tasks.end(6, 7, 8, 9, 10, 11);
  await done;
  expect(tasks.begun).toEqual(numbers(12));
});

it('frees the slot of a task that fails', async () => {
  const alone = new ConcurrencyLimiter();
  alone.noteFailure({ kind: 'status', status: 429 });
  const failing = alone.run(async () => await Promise.reject(new Error('failed')));
  const next = alone.run(async () => await Promise.resolve('next'));
  await expect(failing).rejects.toThrow('failed');
  await expect(next).resolves.toBe('next');
});
