import { inOrder } from '../../nodes/NeetoForm/api/inOrder';

const turn = async () => await new Promise((resolve) => setImmediate(resolve));

/** Tasks that end when told. @returns the indexes of those that began, and what ends one */
function startTasks(count: number) {
  const begun: number[] = [];
  const ends: Array<(error?: Error) => void> = [];
  const tasks = inOrder(count, async (index) => {
    begun.push(index);
    await new Promise<void>((resolve, reject) => {
      ends[index] = (error) => (error === undefined ? resolve() : reject(error));
    });
    return index;
  });
  const end = async (index: number, error?: Error) => {
    ends[index]?.(error);
    await turn();
  };
  return { begun, end, tasks };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

it.each([0, 1, 20])('yields the results of %i tasks in order', async (count) => {
  const results: number[] = [];
  for await (const result of inOrder(count, async (index) => await Promise.resolve(index))) results.push(result);
  expect(results).toEqual(numbers(count));
});

it('runs six tasks at once, and keeps two results behind a slow one', async () => {
  const { begun, end, tasks } = startTasks(20);
  const first = tasks.next();
  expect(begun).toEqual(numbers(6));
  for (const index of [5, 4, 3, 2, 1]) await end(index);
  expect(begun).toEqual(numbers(8));
  await end(0);
  await expect(first).resolves.toMatchObject({ value: 0 });
  await expect(tasks.next()).resolves.toMatchObject({ value: 1 });
  expect(begun).toEqual(numbers(9));
});

it('throws a failure in its place, and starts no task after it', async () => {
  const { begun, end, tasks } = startTasks(20);
  const first = tasks.next();
  await end(1, new Error('failed'));
  await end(0);
  await end(2);
  await expect(first).resolves.toMatchObject({ value: 0 });
  await expect(tasks.next()).rejects.toThrow('failed');
  expect(begun).toEqual(numbers(6));
});

it('starts no task after the caller stopped', async () => {
  const { begun, end, tasks } = startTasks(20);
  const first = tasks.next();
  await end(0);
  await first;
  await tasks.return(undefined);
  await end(1);
  await end(2);
  expect(begun).toEqual(numbers(7));
});
