import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** The output of processes: every line in a file, and in memory. */
export interface LineLog {
  file: string;
  lines: string[];
  add(line: string): void;
  /** The last lines (30 by default), for an error message. */
  tail(count?: number): string;
}

/** Opens a log that appends to the file; creates its folder. */
export function openLineLog(file: string): LineLog {
  mkdirSync(dirname(file), { recursive: true });
  const lines: string[] = [];
  return {
    file,
    lines,
    add(line) {
      lines.push(line);
      appendFileSync(file, `${line}\n`);
    },
    tail: (count = 30) => lines.slice(-count).join('\n'),
  };
}
