import { Writable } from 'node:stream';
import { inspect } from 'node:util';

import type { ExecuteContext } from 'n8n-core';

type Logger = ExecuteContext['logger'];

const entries: unknown[] = [];
const recorded = new WeakSet<Logger>();

/** Copies everything that the nodes and the engine log into memory. */
export function record(logger: Logger): void {
  if (recorded.has(logger)) return;
  recorded.add(logger);
  const internal = logger.getInternalLogger();
  // Test files share one engine: the recording of the file before ends here.
  internal.unpipe();
  internal.pipe(
    new Writable({
      objectMode: true,
      write(entry: unknown, _encoding, done) {
        entries.push(entry);
        done();
      },
    }),
  );
}

/** All that was logged since the last `clearLog`, as text to search in. */
export function loggedText(): string {
  return deepText(entries);
}

export function clearLog(): void {
  entries.length = 0;
}

/** A value down to its hidden and deepest properties, as text to search a secret in. */
export function deepText(value: unknown): string {
  return inspect(value, {
    depth: Infinity,
    maxArrayLength: Infinity,
    maxStringLength: Infinity,
    showHidden: true,
    getters: true,
  });
}
