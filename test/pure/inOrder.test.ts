import { inOrder } from '../../nodes/NeetoForm/api/inOrder';
import { numbers, Tasks } from './tasks';

it.each([0, 1, 20])('yields the results of %i tasks in order', async (count) => {
  const results: number[] = [];
  for await (const result of inOrder(count, async (index) => await Promise.resolve(index))) results.push(result);
  expect(results).toEqual(numbers(count));
});

describe('of twenty tasks', () => {
  let tasks: Tasks;
  let results: AsyncGenerator<number>;
  let first: Promise<unknown>;
  beforeEach(() => {
    tasks = new Tasks();
    results = inOrder(20, tasks.run);
    first = results.next();
  });

  it('starts eight ahead, and keeps those that end behind a slow one', async () => {
    expect(tasks.begun).toEqual(numbers(8));
    await tasks.end(5, 4, 3, 2, 1);
    expect(tasks.begun).toEqual(numbers(8));
    await tasks.end(0);
    await expect(first).resolves.toMatchObject({ value: 0 });
    await expect(results.next()).resolves.toMatchObject({ value: 1 });
    expect(tasks.begun).toEqual(numbers(9));
  });

  it('throws a failure in its place, and starts none after it was thrown', async () => {
    await tasks.fail(1);
    await tasks.end(0, 2);
    await expect(first).resolves.toMatchObject({ value: 0 });
    await expect(results.next()).rejects.toThrow('failed');
    await expect(results.next()).resolves.toMatchObject({ done: true });
    expect(tasks.begun).toEqual(numbers(9));
  });

  it('starts none after the caller stopped', async () => {
    await tasks.end(0);
    await first;
    await results.return(undefined);
    await tasks.end(1, 2);
    expect(tasks.begun).toEqual(numbers(8));
  });
});
