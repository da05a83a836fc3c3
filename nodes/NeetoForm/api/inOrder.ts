import { MAX_IN_FLIGHT } from './requestLimiter';

/** Tasks that are started ahead: those that the limiter lets run, and two that have ended behind a slow one. */
const AHEAD = MAX_IN_FLIGHT + 2;

/** Runs tasks 0, 1, 2 … several at once, and yields their results in order. @throws what a task throws, in its place */
export async function* inOrder<T>(count: number, start: (index: number) => Promise<T>): AsyncGenerator<T> {
  const started: Array<Promise<T>> = [];
  for (let next = 0; ;) {
    while (next < count && started.length < AHEAD) {
      const task = start(next++);
      // A failure is thrown in its place, if the caller gets there.
      task.catch(() => undefined);
      started.push(task);
    }
    const current = started.shift();
    if (current === undefined) return;
    yield await current;
  }
}
