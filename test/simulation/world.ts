/** A simulated service with a workflow on it: what happens there, and what n8n does with the workflow. */

import { isDeepStrictEqual } from 'node:util';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { Emulator } from '../../emulator/index.ts';
import { createRandom } from '../../emulator/random.ts';
import { Poller, type PollingWorkflow } from '../support/engine';
import { DAY, HOUR, idOf, SECOND, START, TriggerHarness, type PollOutcome } from '../trigger/harness';
import type { VirtualClock } from '../trigger/virtualClock';
import { Ledger } from './ledger';
import { Service, type Settings } from './service';

/** A trigger, and what it owes. */
export interface Trigger {
  id: string;
  formIds: string[];
  ledger: Ledger;
  /** Between two saves of n8n when it crashed last: not to be edited until a good poll. */
  isTorn: boolean;
}

const MONTH = 30 * DAY;

/** More requests than any poll of any schedule needs, and ms that a poll may take: its budget and a second. */
const MAX_REQUESTS = 2_000;
const MAX_POLL_MS = 46 * SECOND;

/** ms that the service tells to wait when it limits the rate. */
export const RATE_LIMIT_MS = 300 * SECOND;

const PATH = /^\/api\/external\/v2\/forms(\/[^/]+(\/submissions)?)?$|^\/object-store\//;

export class World extends Service {
  readonly startFrom: number | undefined;
  override triggers: Trigger[] = [];
  workflow: PollingWorkflow;
  /** ms on the local clock until which polls may be silent after "429 Retry-After". */
  limitedUntil = 0;
  private made = 0;
  private stateBytes = 0;
  private isMoved = false;
  private readonly nodeIds = new Set<string>();

  private constructor(settings: Settings, harness: TriggerHarness) {
    super(settings, harness);
    const { startFromHours } = settings;
    this.startFrom = startFromHours === undefined ? undefined : this.now - startFromHours * HOUR;
    this.triggers = [this.newTrigger([...this.forms.keys()].slice(0, 2))];
    this.workflow = harness.newWorkflow(
      this.triggers.map((trigger) => ({ ...this.nodeOf(trigger), name: 'Trigger 1' })),
    );
  }

  /** A world on an emulator that other schedules have used. */
  static create(settings: Settings, emulator: Emulator, clock: VirtualClock): World {
    emulator.reset();
    // What the process remembers of a schedule is over when the next one begins.
    clock.set(clock.now() - ((clock.now() - START) % MONTH) + MONTH);
    for (const { id } of emulator.workspace.forms) emulator.workspace.deleteForm(id);
    const { scheduler, latencyMs } = settings;
    const { id } = emulator.workspace.addForm({ title: 'Contact', id: createRandom(settings.ids).uuid() });
    const harness = new TriggerHarness(emulator, clock, id, { scheduler, latencyMs, transport: 'inject' });
    const world = new World(settings, harness);
    // A list of forms may lag: those that were there at first are older than that.
    harness.advance(HOUR);
    return world;
  }

  /** The first publication. */
  async begin(): Promise<void> {
    for (const trigger of this.triggers)
      for (const formId of this.formsOf(trigger)) trigger.ledger.starting.add(formId);
    await this.activate('activate');
  }

  triggerAt(place: number): Trigger {
    const trigger = this.triggers[place % this.triggers.length];
    if (trigger === undefined) throw new Error('There is no trigger');
    return trigger;
  }

  formsOf({ formIds }: Pick<Trigger, 'formIds'>): string[] {
    const { triggerOn } = this.settings;
    if (triggerOn === 'allActive') return [...this.forms.keys()];
    return (triggerOn === 'one' ? formIds.slice(0, 1) : formIds).filter((id) => this.forms.has(id));
  }

  newTrigger(formIds: string[]): Trigger {
    const id = `node-${++this.made}`;
    this.nodeIds.add(id);
    return { id, formIds, ledger: new Ledger(this.forms, this.rows), isTorn: false };
  }

  nameOf({ id }: Trigger): string {
    return this.workflow.find(id)?.name ?? '';
  }

  /** @returns a change of a workflow */
  replaceNode({ id }: Trigger, change: (node: INode) => INode): (nodes: INode[]) => INode[] {
    return (nodes) => nodes.map((node) => (node.id === id ? change(node) : node));
  }

  nodeOf(trigger: Trigger): { id: string; parameters: INodeParameters } {
    const { triggerOn, maxSubmissions, downloadFiles } = this.settings;
    const { startFrom, harness } = this;
    const start = startFrom === undefined ? {} : { startFrom: new Date(startFrom).toISOString() };
    const options = { maxSubmissions, downloadFiles, ...start };
    const parameters = { ...harness.parameters(trigger.formIds[0]), triggerOn, formIds: trigger.formIds, options };
    return { id: trigger.id, parameters };
  }

  /**
   * Publishes the workflow, after a change.
   *
   * @param starts the forms that triggers do not know yet
   */
  async publish(
    edit: (nodes: INode[]) => INode[],
    starts: Array<{ trigger: Trigger; formIds: string[] }>,
  ): Promise<void> {
    this.waitForRateLimit();
    this.workflow.edit(edit);
    for (const { trigger, formIds } of starts) for (const formId of formIds) trigger.ledger.starting.add(formId);
    await this.activate('update');
  }

  /** Makes all triggers active. @param isFaulty whether requests fail, so that it may fail or come to nothing */
  async activate(mode: 'activate' | 'update' | 'init', hasFault = false): Promise<void> {
    const { now: began, told } = this;
    // Of a workspace that limits the rate, and of which nothing is known, n8n tries again.
    const isFaulty = hasFault || this.isLimited;
    const results = await this.workflow.activate(mode);
    check(this.now - began <= this.triggers.length * MAX_POLL_MS, `an activation takes ${this.now - began} ms`);
    for (const trigger of this.triggers) {
      const result = results.get(this.nameOf(trigger)) ?? null;
      const error = result instanceof Error ? result : undefined;
      check(error === undefined || isFaulty, `an activation without a fault fails: ${error?.message ?? ''}`);
      if (result instanceof Error) continue;
      const ids = (result ?? []).flat().map(({ json }) => idOf(json));
      if (isFaulty) trigger.ledger.doubt(told);
      else this.start(trigger, began);
      trigger.ledger.deliver(ids);
      trigger.ledger.unstored.clear();
      if (!isFaulty) trigger.isTorn = false;
    }
    this.disturb();
  }

  /** Another process of n8n starts from a database. Only its own timers make a poll then. */
  async restart(database: IDataObject = this.workflow.savedStaticData, isFaulty = false): Promise<void> {
    this.workflow = this.workflow.restarted(database);
    for (const { ledger } of this.triggers) ledger.forgetUnstored();
    if (this.settings.scheduler === 'memory') await this.activate('init', isFaulty);
    this.disturb();
  }

  /** The clock of n8n's computer is set, to so many ms ahead of the service's. */
  setClock(skewMs: number): void {
    const backMs = Math.max(0, this.harness.localSkew - skewMs);
    this.harness.localSkew = skewMs;
    this.disturb();
    // A look is due so much later.
    for (const { ledger } of this.triggers) ledger.calmSince += backMs;
  }

  /** The user changes the address in the credential, and publishes nothing. The other workspace has the same forms. */
  changeAddress(): void {
    const { url, emulator } = this.harness;
    this.isMoved = !this.isMoved;
    this.workflow.changeCredential('here', {
      baseUrl: this.isMoved ? url.replace('workspace', 'moved') : url,
      apiKey: emulator.apiKey,
    });
    for (const trigger of this.triggers) {
      const [credential] = Object.values(this.workflow.find(trigger.id)?.credentials ?? {});
      if (credential?.id === 'here') trigger.ledger.move(this.formsOf(trigger));
    }
    this.disturb();
  }

  /** A poll, good or not: what holds of every one is checked, and what it emits is delivered. */
  async poll(trigger: Trigger): Promise<PollOutcome> {
    const { harness, settings } = this;
    harness.poller = new Poller(this.workflow, trigger.id);
    const outcome = await harness.poll();
    const { ids, error, requests, elapsedMs, staticData, staticDataBefore } = outcome;
    check((ids?.length ?? 0) <= settings.maxSubmissions, 'a poll emits more than it may');
    check(ids?.length !== 0, 'a poll emits an empty batch');
    check(elapsedMs <= MAX_POLL_MS, `a poll takes ${elapsedMs} ms`);
    check(requests.length < MAX_REQUESTS, 'a poll sends too many requests');
    check(
      requests.every(({ method, path }) => method === 'GET' && PATH.test(path)),
      'a poll sends another request',
    );
    this.stateBytes = JSON.stringify(staticData).length;
    check(
      error === undefined || isDeepStrictEqual(staticData, staticDataBefore),
      'a poll that throws changes the state',
    );
    return outcome;
  }

  /** A poll while nothing is wrong: it must not fail, and must emit what is due. */
  async pollWell(trigger: Trigger): Promise<PollOutcome> {
    const { ledger } = trigger;
    const began = this.now;
    const expected = ledger.expect(began, this.quick, this.pageSize);
    const outcome = await this.poll(trigger);
    const { ids, error } = outcome;
    check(error === undefined, `a poll without a fault fails: ${error?.message ?? ''}`);
    this.start(trigger, began);
    ledger.deliver(ids ?? []);
    if (ids !== null || this.settings.scheduler === 'durable') ledger.unstored.clear();
    ledger.settle(expected, ids ?? [], this.settings.maxSubmissions, began, this.now);
    trigger.isTorn = false;
    this.checkState();
    return outcome;
  }

  /** A poll in which something fails, or which may do nothing. */
  async pollBadly(trigger: Trigger): Promise<PollOutcome> {
    const { ledger } = trigger;
    const { told } = this;
    const outcome = await this.poll(trigger);
    if (outcome.error === undefined) ledger.doubt(told);
    ledger.deliver(outcome.ids ?? []);
    if (outcome.ids !== null) ledger.unstored.clear();
    const isRefused = outcome.requests.some(({ status }) => status === 429);
    if (isRefused) this.limitedUntil = this.now + this.harness.localSkew + RATE_LIMIT_MS;
    this.disturb();
    return outcome;
  }

  get isLimited(): boolean {
    return this.now + this.harness.localSkew < this.limitedUntil;
  }

  waitForRateLimit(): void {
    const waitMs = this.limitedUntil - this.now - this.harness.localSkew;
    if (waitMs > 0) this.harness.advance(waitMs);
    this.limitedUntil = 0;
  }

  private start({ ledger }: Trigger, began: number): void {
    ledger.begin({ began, ended: this.now, pageSize: this.pageSize, startFrom: this.startFrom });
  }

  /** ms: the service's time as a poll is told it, to the second; the computer's stands in for it. The earlier of both. */
  private get told(): number {
    const { localSkew, emulator } = this.harness;
    const told = this.now + Math.min(localSkew, emulator.quirks.dateSkewMs);
    return Math.floor(told / SECOND) * SECOND;
  }

  /** By what a poll reads what is recent. A service's clock that is wrong, or its numbers, leave it to the window looks. */
  private get quick(): 'always' | 'by number' | 'never' {
    const { dateSkewMs, noDateHeader, countLagMs, fixedCounts } = this.harness.emulator.quirks;
    if (dateSkewMs > 0 || noDateHeader) return 'never';
    if (this.settings.triggerOn === 'one') return 'always';
    return countLagMs > 0 || Object.keys(fixedCounts).length > 0 ? 'never' : 'by number';
  }

  /**
   * Each of three copies, and what n8n keeps under a former name, may hold the IDs of each form, for every trigger there ever was. A form
   * that was deleted counts: what the list lacks is kept for a week.
   */
  private checkState(): void {
    const ids = this.everyForm.reduce((sum, { rows }) => sum + Math.min(rows.length, 2_100), 0);
    const allowed = this.nodeIds.size * (1_500 + 4 * (45 * ids + 400 * this.everyForm.length));
    const { stateBytes } = this;
    check(stateBytes <= allowed, `the state takes ${stateBytes} bytes, of ${allowed} allowed`);
  }
}

/** @throws Error that says what is wrong */
export function check(isKept: boolean, wrong: string): void {
  if (!isKept) throw new Error(wrong);
}
