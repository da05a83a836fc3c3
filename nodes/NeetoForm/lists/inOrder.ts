import { MAX_IN_FLIGHT } from '../api/slots';

/** How many tasks are started ahead: as many as there are slots, and two that wait, so that no slot stays free. */
const AHEAD = MAX_IN_FLIGHT + 2;

/** Runs tasks 0, 1, 2 … several at once, and yields their results in order. @throws what a task throws, when its result is due */
export async function* inOrder<T>(count: number, start: (index: number) => Promise<T>): AsyncGenerator<T> {
  const started: Array<Promise<T>> = [];
  for (let next = 0; ;) {
    while (next < count && started.length < AHEAD) {
      const task = start(next++);
      // `await current` throws a failure when its turn comes. Until then, Node.js must not report it as unhandled.
      task.catch(() => undefined);
      started.push(task);
    }
    const current = started.shift();
    if (current === undefined) return;
    yield await current;
  }
}
