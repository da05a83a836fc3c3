import { MAX_IN_FLIGHT } from './requestLimiter';

/** Results that may be waiting for one before them, beyond those in flight: a slow one does not hold up the others. */
const BUFFERED = 2;

/**
 * Runs tasks 0, 1, 2 … several at once, and yields their results in order.
 *
 * @param start starts a task by its index; no further task starts after one failed or the caller stopped
 * @throws what a task throws, in its place
 */
export async function* inOrder<T>(count: number, start: (index: number) => Promise<T>): AsyncGenerator<T> {
  const started: Array<Promise<T>> = [];
  let inFlight = 0;
  let next = 0;
  let isOver = false;
  const run = async (index: number): Promise<T> => {
    let hasFailed = true;
    try {
      const result = await start(index);
      hasFailed = false;
      return result;
    } finally {
      inFlight--;
      isOver ||= hasFailed;
      startMore();
    }
  };
  const startMore = (): void => {
    while (!isOver && next < count && inFlight < MAX_IN_FLIGHT && started.length < MAX_IN_FLIGHT + BUFFERED) {
      inFlight++;
      const task = run(next++);
      // A failure is thrown in its place, if the caller gets there.
      task.catch(() => undefined);
      started.push(task);
    }
  };
  try {
    for (;;) {
      startMore();
      const [current] = started;
      if (current === undefined) return;
      yield await current;
      void started.shift();
    }
  } finally {
    isOver = true;
  }
}
