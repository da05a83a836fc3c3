import { PassThrough } from 'node:stream';
import { inspect } from 'node:util';

import type { ExecuteContext } from 'n8n-core';

const entries: unknown[] = [];
const recording = new PassThrough({ objectMode: true }).on('data', (entry: unknown) => entries.push(entry));

/** Copies everything that the nodes and the engine log into memory. */
export function record(logger: ExecuteContext['logger']): void {
  // Test files share one engine: the recording of the file before ends here.
  logger.getInternalLogger().unpipe().pipe(recording);
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
