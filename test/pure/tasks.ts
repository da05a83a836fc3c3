/** Waits until what was ready to run has run. */
export const turn = async () => await new Promise((resolve) => setImmediate(resolve));

/** Tasks that end when told. */
export class Tasks {
  /** The numbers of those that began, in that order. */
  readonly begun: number[] = [];
  private readonly ends: Array<(error?: Error) => void> = [];

  readonly run = async (number: number): Promise<number> => {
    this.begun.push(number);
    await new Promise<void>((resolve, reject) => {
      this.ends[number] = (error) => (error === undefined ? resolve() : reject(error));
    });
    return number;
  };

  /** Ends tasks one after the other, and waits until what follows has begun. */
  async end(...numbers: number[]): Promise<void> {
    for (const number of numbers) {
      this.ends[number]?.();
      await turn();
    }
  }

  async fail(number: number): Promise<void> {
    this.ends[number]?.(new Error('failed'));
    await turn();
  }
}

/** 0, 1, 2 … */
export const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
