import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Output of a process: every line in a file, and in memory to look at. */
export interface LineLog {
  file: string;
  lines: string[];
  add(line: string): void;
  /** The last lines, for an error message. */
  tail(count?: number): string;
}

/** Appends to the file; creates its folder. */
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
