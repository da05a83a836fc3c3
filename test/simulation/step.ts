/** What a schedule is made of. */

import type * as fc from 'fast-check';
import type { World } from './world';

/** A command with its details as plain data. Places count forms, triggers and submissions, and begin again behind the last one. */
export abstract class Step<Details extends object> implements fc.AsyncCommand<object, World> {
  protected readonly is: Details;

  constructor(is: Details) {
    this.is = is;
  }

  check(): boolean {
    return true;
  }

  abstract run(_model: object, world: World): Promise<void>;

  toString(): string {
    return `${this.constructor.name} ${JSON.stringify(this.is)}`;
  }
}

/** Something that happens at once. */
export abstract class Event<Details extends object> extends Step<Details> {
  abstract happen(world: World): void;

  override async run(_model: object, world: World): Promise<void> {
    this.happen(world);
    await Promise.resolve();
  }
}

export interface ByTrigger {
  trigger: number;
}
