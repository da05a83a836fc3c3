/** What n8n does with the workflow as it is: polls, with and without faults, restarts and crashes. */

import type { FaultEffect } from '../../emulator/index.ts';
import { MINUTE } from '../trigger/harness';
import type { Delete, Insert } from './serviceSteps';
import { Step, type ByTrigger } from './step';
import { check, RATE_LIMIT_MS, type World } from './world';

/** One poll, a while after what happened before. Submissions may come and go between its requests. */
export class Poll extends Step<
  ByTrigger & { afterMs: number; during: Array<{ at: number; what: Insert | Delete }>; isOverlapped: boolean }
> {
  async run(_model: object, world: World): Promise<void> {
    const { afterMs, during, isOverlapped } = this.is;
    world.harness.advance(afterMs);
    const trigger = world.triggerAt(this.is.trigger);
    if (world.isLimited) {
      await world.pollBadly(trigger);
      return;
    }
    let requests = 0;
    const isStarting = trigger.ledger.starting.size > 0;
    const stop = world.harness.emulator.onRequest(() => {
      requests++;
      for (const { at, what } of during) if (at === requests && !isStarting) what.happen(world);
    });
    const polls = world.pollWell(trigger);
    // n8n's scheduler lets no two polls of a node run at once.
    if (isOverlapped && world.settings.scheduler === 'memory')
      check((await world.workflow.poll(world.nameOf(trigger))) === null, 'the second of two polls at once emits');
    await polls;
    stop();
  }

  override toString(): string {
    const during = this.is.during.map(({ at, what }) => `${at}: ${what.toString()}`);
    return `Poll ${JSON.stringify({ ...this.is, during })}`;
  }
}

/** Something goes wrong in a poll: requests fail from one on, so many times, or those for one form only. */
export class Fault extends Step<ByTrigger & { effect: FaultEffect; at: number; times: number; form?: number }> {
  async run(_model: object, world: World): Promise<void> {
    const trigger = world.triggerAt(this.is.trigger);
    world.harness.advance(MINUTE);
    const stop = breakService(world, this.is);
    await world.pollBadly(trigger);
    stop();
  }
}

/** The service limits the rate: no request may be sent until its time has come. */
export class RateLimit extends Step<ByTrigger & { at: number }> {
  async run(_model: object, world: World): Promise<void> {
    const trigger = world.triggerAt(this.is.trigger);
    const headers = { 'retry-after': String(RATE_LIMIT_MS / 1_000) };
    const stop = breakService(world, { effect: { status: 429, headers }, at: this.is.at, times: 1 });
    const { requests } = await world.pollBadly(trigger);
    stop();
    if (!requests.some(({ status }) => status === 429)) return;
    world.harness.advance(MINUTE);
    const next = await world.pollBadly(trigger);
    check(next.requests.length === 0, 'a poll sends a request before Retry-After');
  }
}

/** n8n stops and starts again, perhaps while the service fails. */
export class Restart extends Step<{ effect?: FaultEffect }> {
  async run(_model: object, world: World): Promise<void> {
    const { effect } = this.is;
    const isActivated = world.settings.scheduler === 'memory' && effect !== undefined;
    if (!isActivated) {
      await world.restart();
      return;
    }
    const stop = breakService(world, { effect, at: 1, times: 50 });
    await world.restart(undefined, true);
    stop();
    world.harness.advance(MINUTE);
    await world.activate('init');
  }
}

/** n8n crashes: at a request of a poll, behind the poll with nothing stored, or between the two things that it stores. */
export class Crash extends Step<ByTrigger & { when: number | 'before the save' | 'state first' | 'items first' }> {
  async run(_model: object, world: World): Promise<void> {
    const { when } = this.is;
    const { workflow, harness, settings } = world;
    const trigger = world.triggerAt(this.is.trigger);
    // What cannot be told is when a form was started.
    if (world.isLimited || trigger.ledger.starting.size > 0) {
      await world.restart();
      return;
    }
    const before = workflow.savedStaticData;
    const { transport } = harness.inProcess;
    let requests = 0;
    harness.inProcess.transport = async (options, send) => {
      if (++requests === when) throw new Error('n8n crashed');
      return await transport(options, send);
    };
    const ids = (await world.poll(trigger)).ids ?? [];
    harness.inProcess.transport = transport;
    const after = workflow.savedStaticData;
    if (ids.length === 0 || typeof when === 'number' || when === 'before the save') {
      await world.restart(before);
      return;
    }
    const isDurable = settings.scheduler === 'durable';
    const isStateFirst = when === 'state first';
    if (!isStateFirst) trigger.ledger.deliver(ids);
    if (isDurable) trigger.isTorn = true;
    else if (isStateFirst) trigger.ledger.excuseLoss(ids);
    else trigger.ledger.excuseRepeat(ids);
    if (isStateFirst) await world.restart(isDurable ? { ...before, global: after['global'] } : after);
    else await world.restart(isDurable ? { ...after, global: before['global'] } : before);
  }
}

/** For a few polls, the service's list of forms lacks some or all of them; where forms are chosen, the key may not see the list. */
export class ListHides extends Step<ByTrigger & { forms: number[]; polls: number; everyMs: number }> {
  async run(_model: object, world: World): Promise<void> {
    const { forms, polls, everyMs } = this.is;
    world.waitForRateLimit();
    // A form that no list has ever shown is not known to be missing.
    for (const trigger of world.triggers) await world.pollWell(trigger);
    const isWatched = world.settings.triggerOn === 'allActive';
    world.hide(isWatched ? forms.map((form) => world.formAt(form)) : []);
    const refused = {
      when: { path: /\/forms$/, times: Infinity },
      with: { status: 403, body: { error: 'Not allowed' } },
    };
    const stop = isWatched ? () => undefined : world.harness.emulator.fail(refused);
    for (let poll = 0; poll < polls; poll++) {
      world.harness.advance(everyMs);
      await world.pollWell(world.triggerAt(this.is.trigger));
    }
    stop();
    world.hide([]);
  }
}

/** @returns a function that ends it */
function breakService(
  world: World,
  { effect, at, times, form }: { effect: FaultEffect; at: number; times: number; form?: number },
): () => void {
  const path = new RegExp(form === undefined ? '^/api' : world.formAt(form));
  return world.harness.emulator.fail({ when: { nth: at, times, path }, with: effect });
}
