import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** The functions of a child process: JSON in, JSON out. */
type Handlers = Record<string, (input: never) => Promise<unknown>>;

interface Reply {
  value?: unknown;
  error?: string;
}

/** The longest call takes about 30 s on an idle machine. */
const TIMEOUT_MS = 240_000;

/** A child process whose functions are called one at a time. It ends with this process. */
export class Child<H extends Handlers> {
  private readonly process: ChildProcess;

  /** @param script a script of this folder that calls `answerCalls` */
  constructor(script: string, env: NodeJS.ProcessEnv) {
    this.process = fork(`${import.meta.dirname}/${script}`, {
      execArgv: ['--expose-gc'],
      env: { ...process.env, ...env },
    });
  }

  /**
   * Calls a function of the child.
   *
   * @throws what the function throws, and when the child ends or does not answer in time
   */
  async call<K extends keyof H & string>(name: K, ...input: Parameters<H[K]>): Promise<Awaited<ReturnType<H[K]>>> {
    const done = new AbortController();
    const signal = AbortSignal.any([done.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const ended = async (): Promise<never> => {
      await once(this.process, 'exit', { signal });
      throw new Error(`A measured process ended (${name})`);
    };
    try {
      this.process.send({ name, input: input[0] });
      const [{ value, error }] = (await Promise.race([once(this.process, 'message', { signal }), ended()])) as [Reply];
      if (error !== undefined) throw new Error(error);
      return value as Awaited<ReturnType<H[K]>>;
    } finally {
      done.abort();
    }
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exited = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await exited;
  }
}

/** In a child process: answers the parent's calls until the parent is gone. */
export function answerCalls(handlers: Handlers): void {
  process.on('message', ({ name, input }: { name: string; input: never }) => {
    const work = handlers[name]?.(input) ?? Promise.reject(new Error(`There is no function "${name}"`));
    void work
      .then(
        (value): Reply => ({ value }),
        (error: unknown): Reply => ({ error: String(error) }),
      )
      .then((reply) => process.send?.(reply));
  });
  process.on('disconnect', () => process.exit());
}
