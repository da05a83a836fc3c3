import { fork } from 'node:child_process';
import { once } from 'node:events';

/** What a child process can be asked for: a value in, a value out, both plain JSON. */
export type Handlers = Record<string, (input: never) => Promise<unknown>>;

/** A child process that answers. */
export interface Child<H extends Handlers> {
  ask<K extends keyof H & string>(name: K, ...input: Parameters<H[K]>): Promise<Awaited<ReturnType<H[K]>>>;
  stop(): Promise<void>;
}

interface Question {
  id: number;
  name: string;
  input: unknown;
}

interface Answer {
  id: number;
  value?: unknown;
  error?: string;
}

/** A process that takes longer for one answer has got stuck; the longest take some thirty seconds. */
const LIMIT_MS = 180_000;

/** A process that has been told to end, and does not. */
const PATIENCE_MS = 5_000;

/** Starts a script that calls `answer`. It ends with this process, and when an answer takes too long. */
export function startChild<H extends Handlers>(
  script: string,
  options: { execArgv?: string[]; env?: NodeJS.ProcessEnv } = {},
): Child<H> {
  const child = fork(script, { execArgv: options.execArgv ?? [], env: { ...process.env, ...options.env } });
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let lastId = 0;
  let isStopping = false;

  child.on('message', (message) => {
    const { id, value, error } = message as Answer;
    const caller = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) caller?.resolve(value);
    else caller?.reject(new Error(error));
  });
  const failAll = (error: Error): void => {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  child.on('exit', (code, signal) =>
    failAll(new Error(`A measured process ended: ${signal ?? `exit code ${String(code)}`}`)),
  );
  child.on('error', failAll);

  return {
    async ask<K extends keyof H & string>(name: K, ...input: Parameters<H[K]>): Promise<Awaited<ReturnType<H[K]>>> {
      if (isStopping || !child.connected) throw new Error(`A measured process was asked "${name}" after its end`);
      const id = ++lastId;
      const answer = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }));
      const question: Question = { id, name, input: input[0] };
      child.send(question);
      const timer = setTimeout(() => {
        failAll(new Error(`A measured process did not answer "${name}" within ${LIMIT_MS / 1_000} s`));
        child.kill('SIGKILL');
      }, LIMIT_MS);
      try {
        return (await answer) as Awaited<ReturnType<H[K]>>;
      } finally {
        clearTimeout(timer);
      }
    },
    async stop() {
      isStopping = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** In a child process: answers what the parent asks, until the parent is gone. */
export function answer(handlers: Handlers): void {
  process.on('message', (message) => {
    void reply(handlers, message as Question);
  });
  process.on('disconnect', () => process.exit());
}

async function reply(handlers: Handlers, { id, name, input }: Question): Promise<void> {
  const handler = handlers[name] as ((input: unknown) => Promise<unknown>) | undefined;
  let answer: Answer;
  try {
    if (handler === undefined) throw new Error(`Nobody answers "${name}"`);
    answer = { id, value: await handler(input) };
  } catch (error) {
    answer = { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  process.send?.(answer);
}
