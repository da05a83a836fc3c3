import type { IDataObject } from 'n8n-workflow';
import type { Emulator, FaultEffect } from '../../../emulator/index.ts';
import { createWorld, MINUTE, SECOND, START, HOUR, type PollFunction, type PollOutcome, type World } from '../world';
import { keptState } from '../state';
import { Ledger, type Balance } from './ledger';
import {
  LOOKBACK,
  type Delete,
  type Fault,
  type FaultKind,
  type Insert,
  type Poll,
  type Schedule,
  type Step,
} from './schedule';

export interface RunOptions {
  transport?: 'http' | 'inject';
  /** Another poller than ours: then only what it hands out is looked at. */
  polls?: PollFunction;
  emulator?: Emulator;
}

/** A promise that a schedule showed to be broken. */
export class BrokenPromise extends Error {}

const EFFECTS: Record<Exclude<FaultKind, 'hang'>, FaultEffect> = {
  500: { status: 500, body: { error: 'Internal server error' } },
  503: { status: 503, headers: { 'retry-after': '3' } },
  429: { status: 429, body: { error: 'Too many requests' }, headers: { 'retry-after': '7' } },
  '429 for long': { status: 429, headers: { 'retry-after': '300' } },
  401: { status: 401, body: { error: 'Invalid API key' } },
  403: { status: 403, body: { error: 'Not allowed' } },
  404: { status: 404, body: { error: 'Form not found' } },
  'web page': { status: 200, body: '<!doctype html><title>Sign in</title>' },
  redirect: { redirect: 'https://elsewhere.example/forms' },
  'broken JSON': { malformed: true },
  reset: { reset: true },
  'no list': { status: 200, body: { forms: [] } },
  'no id': { status: 200, body: { submissions: [{ created_at: '2030-01-01T00:00:00.000Z' }], total_count: 1 } },
  'no date': { status: 200, body: { submissions: [{ id: '11111111-2222-4333-8444-555555555555' }], total_count: 1 } },
};

/** More requests than any poll of any schedule needs: where no time passes, no budget ends a poll that asks for ever. */
const MOST_REQUESTS = 2_000;

/** ms after which n8n gives up a request that says nothing else. */
const N8N_TIMEOUT_MS = 300_000;

/** ms a poll may take, with what its last request may take more. */
const MOST_MS = 45 * SECOND + 200;

/**
 * Lives through a schedule, then drains the service without faults.
 *
 * @returns what is owed; for ours nothing may be
 * @throws BrokenPromise at once for what can be seen before the end, if the poller is ours
 */
export async function runSchedule(schedule: Schedule, options: RunOptions = {}): Promise<Balance> {
  const { transport = 'inject', polls } = options;
  const { scheduler, maxSubmissions, startFromHours, latencyMs, quirks } = schedule;
  const startFrom = startFromHours === undefined ? undefined : START - startFromHours * HOUR;
  // An order that changes with every request is drawn from where the last schedule left off: such a service begins anew.
  const emulator = JSON.stringify(schedule).includes('"randomTieOrder":true') ? undefined : options.emulator;
  emulator?.reset();
  emulator?.clock.set(START);
  const world = await createWorld({
    scheduler,
    transport,
    emulator,
    polls,
    latencyMs,
    options: { maxSubmissions, ...(startFrom !== undefined && { startFrom: new Date(startFrom).toISOString() }) },
  });
  try {
    Object.assign(world.emulator.quirks, quirks);
    return await new Life(schedule, world, startFrom, polls === undefined).live();
  } finally {
    await world.close();
  }
}

class Life {
  private readonly schedule: Schedule;
  private readonly world: World;
  private readonly ledger: Ledger;
  private readonly isOurs: boolean;
  private readonly inserted: string[] = [];
  private readonly deleted: string[] = [];
  /** Whether n8n died between its two saves and has not stored anything since. A node renamed then may lose or repeat that batch. */
  private isTorn = false;
  private baselineSize = 0;

  constructor(schedule: Schedule, world: World, startFrom: number | undefined, isOurs: boolean) {
    this.schedule = schedule;
    this.world = world;
    this.isOurs = isOurs;
    this.ledger = new Ledger(Math.max(0, schedule.quirks.dateSkewMs ?? 0), startFrom);
  }

  async live(): Promise<Balance> {
    for (const past of this.schedule.past) this.insert(past);
    await this.activate();
    for (const step of this.schedule.steps) await this.take(step);
    await this.drain();
    const balance = this.ledger.balance(this.world.now);
    if (this.isOurs)
      this.check(
        balance.lost.length + balance.repeated.length + balance.uninvited.length === 0,
        `at the end: ${JSON.stringify(balance)}`,
      );
    return balance;
  }

  private async take(step: Step): Promise<void> {
    const { world, schedule } = this;
    switch (step.do) {
      case 'insert':
        this.insert(step);
        break;
      case 'delete':
        this.delete(step);
        break;
      case 'restore':
        this.restore(step.pick);
        break;
      case 'advance':
        world.advance(step.ms);
        break;
      case 'skew':
        world.localSkew = step.ms;
        break;
      case 'quirk':
        Object.assign(world.emulator.quirks, step.quirks);
        break;
      case 'rename':
        if (step.name === world.poller.node.name || this.isTorn) return;
        world.poller.rename(step.name);
        // n8n activates an edited workflow again.
        if (schedule.scheduler === 'memory') await this.restart(undefined, 'activate');
        break;
      case 'restart':
        world.rise(world.poller.savedStaticData);
        await this.restart(step.fault, 'init');
        break;
      case 'poll':
        await this.poll(step);
    }
  }

  /** The first activation; the service is well. */
  private async activate(): Promise<void> {
    const { world, ledger } = this;
    const began = world.now;
    ledger.beginActivation();
    const outcome = await world.activate();
    ledger.endActivation(began, world.now);
    this.checkHealthy(outcome);
    this.baselineSize = world.state?.seen.size ?? 0;
    this.record(outcome);
    this.checkState(outcome);
  }

  private async restart(fault: Fault | undefined, mode: 'init' | 'activate'): Promise<void> {
    if (this.schedule.scheduler === 'durable') return;
    const { world } = this;
    if (fault !== undefined) {
      const calm = this.break(fault);
      const outcome = await world.activate(mode);
      calm();
      this.record(outcome);
      this.checkState(outcome);
      if (outcome.error === undefined) return;
    }
    // n8n tries again until the workflow is active.
    const outcome = await world.activate(mode);
    this.checkHealthy(outcome);
    this.record(outcome);
    this.checkState(outcome);
  }

  private async poll(step: Poll): Promise<void> {
    const { world, schedule } = this;
    const before = world.poller.savedStaticData;
    const calm = this.break(step.fault, step.death, step.lie);
    const settle = this.plotMischief(step);
    // The durable scheduler lets no two polls of a node run at once.
    const [outcome, second] =
      step.isOverlapped && schedule.scheduler === 'memory'
        ? await Promise.all([world.poll(), world.poll()])
        : [await world.poll()];
    settle();
    calm();
    if (step.death !== undefined) {
      await this.die(step.death, before, [outcome, ...(second ? [second] : [])]);
      return;
    }
    for (const each of second === undefined ? [outcome] : [outcome, second]) this.record(each);
    if (second === undefined) this.checkState(outcome);
    else if (this.isOurs)
      this.check(second.ids === null && second.error === undefined, 'the second of two polls at once does something');
    if (step.fault === undefined && step.lie === undefined) this.checkHealthy(outcome);
    if (outcome.error === undefined) this.isTorn = false;
  }

  /** n8n dies, and what it had not stored is gone. */
  private async die(
    death: Exclude<Poll['death'], undefined>,
    before: IDataObject,
    outcomes: PollOutcome[],
  ): Promise<void> {
    const { world, ledger } = this;
    const after = world.poller.savedStaticData;
    const ids = outcomes.flatMap((outcome) => outcome.ids ?? []);
    let database = before;
    const isStored = !outcomes.every(({ ids: given }) => given === null);
    if (isStored && this.schedule.scheduler === 'memory') {
      if (death === 'between the saves') {
        database = after;
        ledger.excuseLoss(ids);
      } else if (death === 'between the saves, in the other order') {
        this.hand(ids);
        ledger.excuseRepeat(ids);
      }
    } else if (isStored && death === 'between the saves') {
      this.isTorn = true;
      database = { ...before, global: after.global };
    } else if (isStored && death === 'between the saves, in the other order') {
      this.isTorn = true;
      this.hand(ids);
      database = { ...after, global: before.global };
    }
    world.rise(database);
    await this.restart(undefined, 'init');
  }

  /** Polls each minute until everything that is to come has come. */
  private async drain(): Promise<void> {
    const { world, ledger } = this;
    world.localSkew = 0;
    if (ledger.lastVisible > world.now) world.advance(ledger.lastVisible - world.now);
    let quiet = 0;
    for (let polls = 0; quiet < 2 && polls < 400; polls++) {
      world.advance(MINUTE);
      const calm = this.break();
      const outcome = await world.poll();
      calm();
      this.checkHealthy(outcome);
      this.record(outcome);
      this.checkState(outcome);
      this.isTorn = false;
      // What the bound on unsettled ids or a poll's time held back comes when older ones have settled.
      const isDone =
        outcome.ids === null && (!this.isOurs || ledger.balance(world.now).lost.length === 0 || polls > 100);
      quiet = isDone ? quiet + 1 : 0;
    }
    if (!this.isOurs) return;
    this.check(quiet === 2, 'the polls never come to an end');
    world.advance(LOOKBACK);
    const idle = await world.poll();
    this.checkHealthy(idle);
    this.check(idle.ids === null, 'an idle form gives something');
    await this.checkIdle();
  }

  /** When all is settled, a poll of an idle form is one request. */
  private async checkIdle(): Promise<void> {
    const { world } = this;
    const { noPagination, ignoreSubmittedAfter, noDateHeader, pageSizeCap, ignorePageSize, roundSubmittedAfter } =
      world.emulator.quirks;
    const outcome = await world.poll();
    this.checkHealthy(outcome);
    const { requests } = outcome;
    const asked = { after: ((world.state?.c ?? 0) - SECOND) * 1_000, order: 'asc', offset: 0, limit: 0 } as const;
    const inWindow = world.emulator.workspace.selectSubmissions(world.formId, asked).total;
    if (
      noPagination ||
      ignoreSubmittedAfter ||
      noDateHeader ||
      ignorePageSize ||
      roundSubmittedAfter ||
      inWindow > pageSizeCap
    )
      return;
    this.check(requests.length === 1, `${requests.length} requests for an idle form`);
  }

  private insert({ count, ageMs, stepMs, hiddenMs, micros, zone }: Insert): void {
    const { world } = this;
    for (let index = 0; index < count; index++) {
      const created = world.now - ageMs - (count - 1 - index) * stepMs;
      const visibleAt = hiddenMs === 0 ? world.now : world.now + hiddenMs;
      const id = world.insert({
        createdAt: zone === 'Z' ? created : inZone(created),
        micros: zone === 'Z' ? micros : 0,
        visibleAt,
      });
      this.ledger.insert(id, created, visibleAt, world.now);
      this.inserted.push(id);
    }
  }

  private delete({ pick }: Delete): void {
    const id = this.inserted.at(-1 - (pick % Math.max(1, this.inserted.length)));
    if (id === undefined || this.deleted.includes(id)) return;
    this.world.emulator.workspace.deleteSubmission(this.world.formId, id);
    this.deleted.push(id);
    this.ledger.delete(id);
  }

  private restore(pick: number): void {
    const { world } = this;
    const [id] = this.deleted.length === 0 ? [] : this.deleted.splice(pick % this.deleted.length, 1);
    if (id === undefined) return;
    world.emulator.workspace.restoreSubmission(world.formId, id);
    this.ledger.restore(id, world.emulator.workspace.submission(world.formId, id)?.visibleAt ?? 0, world.now);
  }

  /** @returns a function that ends it */
  private break(fault?: Fault, death?: Poll['death'], lie?: Poll['lie']): () => void {
    const { world } = this;
    const { emulator } = world;
    const answering = world.transport;
    let requests = 0;
    world.transport = async (options, send) => {
      requests++;
      if (requests > MOST_REQUESTS) throw new Error('this poll never ends');
      if (typeof death === 'object' && requests >= death.at) throw new Error('n8n is dead');
      if (fault?.kind === 'hang' && requests >= fault.at && requests < fault.at + fault.times) {
        world.advance(options.timeout ?? N8N_TIMEOUT_MS);
        throw Object.assign(new Error('timeout of the request exceeded'), { code: 'ECONNABORTED' });
      }
      return await send(options);
    };
    const mend =
      fault === undefined || fault.kind === 'hang'
        ? () => undefined
        : emulator.fail({ when: { nth: fault.at, every: 1, times: fault.times }, with: EFFECTS[fault.kind] });
    const { ignoreOrder, ignorePage } = emulator.quirks;
    // A page that shows one moment only is in every order: such a lie cannot be told from the truth. Rows may come in at any request.
    const endLie = emulator.onRequest(() => {
      if (lie === 'ignores order') emulator.quirks.ignoreOrder = this.isOrderVisible() ? 'desc' : ignoreOrder;
    });
    if (lie === 'ignores page') emulator.quirks.ignorePage = true;
    return () => {
      mend();
      endLie();
      world.transport = answering;
      Object.assign(emulator.quirks, { ignoreOrder, ignorePage });
    };
  }

  private isOrderVisible(): boolean {
    const { world } = this;
    const { pageSizeCap, ignorePageSize, randomTieOrder } = world.emulator.quirks;
    const { rows } = world.emulator.workspace.selectSubmissions(world.formId, {
      order: 'desc',
      offset: 0,
      limit: Math.min(pageSizeCap, ignorePageSize ? 30 : 100),
    });
    return !randomTieOrder && rows.at(0)?.createdAt !== rows.at(-1)?.createdAt;
  }

  private plotMischief({ during }: Poll): () => void {
    let requests = 0;
    return this.world.emulator.onRequest(() => {
      requests++;
      for (const { at, what } of during) {
        if (at !== requests) continue;
        if (what.do === 'insert') this.insert(what);
        else this.delete(what);
      }
    });
  }

  private record(outcome: PollOutcome): void {
    if (this.isOurs) {
      const { ids, error, staticData, staticDataBefore, elapsedMs } = outcome;
      this.check((ids?.length ?? 0) <= this.schedule.maxSubmissions, 'a poll hands out more than it may');
      this.check(outcome.requests.length < MOST_REQUESTS, 'a poll never ends');
      this.check(ids?.length !== 0, 'a poll hands out an empty batch');
      this.check(elapsedMs <= MOST_MS, `a poll takes ${elapsedMs} ms`);
      this.check(
        error === undefined || substance(staticData) === substance(staticDataBefore),
        'a poll that throws changes the state',
      );
      const times = (ids ?? []).map((id) => this.ledger.created(id));
      this.check(
        times.every((time, index) => index === 0 || time >= (times[index - 1] ?? time)),
        'a batch is not oldest first',
      );
      this.check(
        outcome.requests.every(
          ({ method, path }) => method === 'GET' && path === `/api/external/v2/forms/${this.world.formId}/submissions`,
        ),
        'a poll asks for something else',
      );
    }
    this.hand(outcome.ids ?? []);
  }

  private hand(ids: string[]): void {
    for (const id of ids) {
      const wrong = this.ledger.deliver(id);
      if (this.isOurs) this.check(wrong === undefined, wrong ?? '');
    }
  }

  private checkHealthy({ error }: PollOutcome): void {
    if (this.isOurs) this.check(error === undefined, `a poll without a fault fails: ${error?.message ?? ''}`);
  }

  private checkState(outcome: PollOutcome): void {
    if (!this.isOurs) return;
    const { world, ledger, baselineSize } = this;
    const before = keptState(outcome.staticDataBefore, world.poller.node, world.formId);
    const { state } = world;
    if (state === undefined) return;
    const { noDateHeader, dateSkewMs } = world.emulator.quirks;
    this.check(before === undefined || state.c >= before.c || this.isTorn, 'c goes back');
    const latest = world.now + dateSkewMs - LOOKBACK;
    this.check(
      noDateHeader ||
        state.c <= Math.max(latest, before?.c ?? 0, this.schedule.startFromHours === undefined ? 0 : START),
      'c passes what is settled',
    );
    const unsettled = [...state.seen.values()].filter((created) => created > latest).length;
    this.check(noDateHeader || unsettled <= Math.max(2_000, baselineSize), `${unsettled} unsettled ids`);
    const forgotten = ledger.delivered.filter((id) => ledger.created(id) >= state.c && !state.seen.has(id));
    this.check(forgotten.length === 0, `${forgotten.join(' ')} may be handed out again`);
  }

  private check(isKept: boolean, wrong: string): void {
    if (!isKept) throw new BrokenPromise(wrong);
  }
}

/** Static data as text, without the empty places that n8n makes for who asks. */
function substance(staticData: IDataObject): string {
  return JSON.stringify(Object.entries(staticData).filter(([, value]) => JSON.stringify(value) !== '{}'));
}

function inZone(ms: number): string {
  return new Date(ms + 5.5 * HOUR).toISOString().replace('Z', '+05:30');
}
