import { sleepUnlessAborted, systemClock } from '../../nodes/NeetoForm/api/clock';

it.each<[ms: number, abortAfter: number, slept: number[]]>([
  [250, Infinity, [100, 100, 50]],
  [200, Infinity, [100, 100]],
  [0, Infinity, []],
  [60_000, 2, [100, 100]],
  [60_000, 0, []],
])('sleeps %i ms, or until an abort, in steps of 100 ms at most', async (ms, abortAfter, expected) => {
  const controller = new AbortController();
  const slept: number[] = [];
  const abort = () => slept.length >= abortAfter && controller.abort();
  const sleep = async (step: number) => {
    slept.push(step);
    await Promise.resolve();
    abort();
  };
  abort();
  await sleepUnlessAborted({ ...systemClock, sleep }, ms, controller.signal);
  expect(slept).toEqual(expected);
});
