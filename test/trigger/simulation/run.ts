import { isDeepStrictEqual } from 'node:util';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { Emulator, FaultEffect, SubmissionInput } from '../../../emulator/index.ts';
import type { TriggerState } from '../../../nodes/NeetoForm/polling/triggerState';
import type { PollingWorkflow } from '../../support/engine';
import { isObject } from '../../support/engine/workflow';
import {
  createHarness,
  HOUR,
  idOf,
  LOOKBACK,
  MINUTE,
  SECOND,
  START,
  substance,
  type PollOutcome,
  type TriggerHarness,
} from '../harness';
import { readState } from '../state';
import type { VirtualClock } from '../virtualClock';
import { Ledger, Submissions, type Activation } from './ledger';
import { EFFECTS, FILE_KINDS } from './schedule';
import type { Crash, Delete, Edit, Fault, FaultKind, FileKind, Insert, Poll, Schedule, Step } from './schedule';

/** Where schedules run. */
export interface SharedService {
  transport: 'http' | 'inject';
  emulator: Emulator;
  /** The emulator's. */
  clock: VirtualClock;
}

/** Without a real connection alone does virtual time pass while a response comes. */
const NEEDS_VIRTUAL_TIME: FaultKind[] = ['hang', 'drip', 'slow body'];

/** ms that polls may send nothing after "429 Retry-After", as long as EFFECTS say. */
const RATE_LIMIT_MS = 300 * SECOND;

/** Polls, one a minute, after which every form was read again whatever its number of submissions says. */
const RECHECK_POLLS = 12;

/** What file servers do. Of the slow file, 5 s after 5 s another part of 20 arrives. */
const FILE_EFFECTS: Partial<Record<FileKind, FaultEffect>> = {
  hangs: { hang: true },
  pauses: { drip: 1_000, everyMs: 15 * SECOND },
  'is slow': { drip: 1_000, everyMs: 5 * SECOND },
};

const FILE_BYTES = 20_000;

const PATH = /^\/api\/external\/v2\/forms(\/[^/]+(\/submissions)?)?$/;

/** Where files are, below the workspace's address. */
const FILES = '/object-store/';

/** More requests than any poll of any schedule needs. */
const MAX_REQUESTS = 2_000;

/** ms that a poll may take: its budget and a second. */
const MAX_POLL_MS = 46 * SECOND;

/** IDs that a trigger remembers of a form at most. */
const MAX_SEEN_IDS = 2_000;

const MAX_TRIGGERS = 3;

const NAMES = ['NeetoForm Trigger', 'NeetoForm Trigger1', 'NeetoForm Trigger2', 'NeetoForm Trigger3'];

/**
 * Runs a schedule, then polls a service without faults until everything owed has been emitted.
 *
 * @throws Error that tells which promise is broken
 */
export async function runSchedule(schedule: Schedule, { transport, emulator, clock }: SharedService): Promise<void> {
  emulator.reset();
  clock.set(START);
  for (const { id } of emulator.workspace.forms) emulator.workspace.deleteForm(id);
  const { scheduler, latencyMs, quirks } = schedule;
  // An order that changes with every request continues from the last schedule: such a service is started for itself.
  const isShared = !JSON.stringify(schedule).includes('"randomTieOrder":true');
  const harness = await createHarness({ scheduler, transport, latencyMs, ...(isShared && { emulator, clock }) });
  try {
    Object.assign(harness.emulator.quirks, quirks);
    await new ScheduleRun(schedule, harness, transport === 'inject').run();
  } finally {
    await harness.close();
  }
}

interface SimulatedTrigger {
  id: string;
  ledger: Ledger;
  /** Only of several forms. */
  formIds: string[];
  /** ms, when the activation ended. */
  activated: number;
}

class ScheduleRun {
  private readonly schedule: Schedule;
  private readonly harness: TriggerHarness;
  private readonly isInProcess: boolean;
  private readonly startFrom: number | undefined;
  private readonly submissions = new Submissions();
  private readonly deleted: string[] = [];
  private readonly formIds: string[];
  private triggers: SimulatedTrigger[];
  private triggerCount = 1;
  private workflow: PollingWorkflow;
  /** Triggers that crashed between their two saves and have not stored anything since: renamed then, they may lose or repeat a batch. */
  private readonly torn = new Set<string>();
  /** ms on the local clock until which polls may send nothing after "429 Retry-After". */
  private limitedUntil = 0;
  /** ms, when the forms were added that were not there at first. */
  private readonly addedAt = new Map<string, number>();
  /** Addresses of the files that submissions have. */
  private readonly fileUrls = new Map<FileKind, string>();
  /** Submissions with a slow file: each may take a poll of its own. */
  private readonly slow = new Set<string>();

  constructor(schedule: Schedule, harness: TriggerHarness, isInProcess: boolean) {
    this.schedule = schedule;
    this.harness = harness;
    this.isInProcess = isInProcess;
    this.startFrom = schedule.startFromHours === undefined ? undefined : START - schedule.startFromHours * HOUR;
    this.formIds = [harness.formId];
    if (schedule.downloadFiles) this.addFiles();
    while (this.formIds.length < schedule.forms) this.formIds.push(this.createForm());
    const first = this.newTrigger([...this.formIds]);
    this.triggers = [first];
    const [name = ''] = NAMES;
    this.workflow = harness.newWorkflow([{ id: first.id, name, parameters: this.parametersOf(first) }]);
  }

  async run(): Promise<void> {
    for (const past of this.schedule.past) this.insert(past);
    await this.activate(
      'activate',
      this.triggers.map((trigger) => this.startOfAll(trigger)),
    );
    for (const step of this.schedule.steps) await this.take(step);
    await this.finish();
    for (const { ledger } of this.triggers) {
      const lost = ledger.lost(this.harness.now);
      this.check(lost.length === 0, `${lost.join(' ')} were never emitted`);
    }
  }

  private async take(step: Step): Promise<void> {
    const { harness } = this;
    const { quirks } = harness.emulator;
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
        harness.advance(step.ms);
        break;
      case 'skew':
        harness.localSkew = step.ms;
        break;
      case 'quirk':
        Object.assign(quirks, step.quirks);
        break;
      case 'fix count':
        quirks.fixedCounts = { ...quirks.fixedCounts, [this.formAt(step.form)]: step.count };
        break;
      case 'add form':
        this.addForm();
        break;
      case 'archive':
        this.archive(this.formAt(step.form), step.isArchived);
        break;
      case 'delete form':
        this.deleteForm(this.formAt(step.form));
        break;
      case 'restart':
        await this.restart(this.workflow.savedStaticData, step.fault);
        break;
      case 'poll':
        await this.poll(step);
        break;
      default:
        await this.edit(step);
    }
  }

  private newTrigger(formIds: string[]): SimulatedTrigger {
    const { dateSkewMs = 0 } = this.schedule.quirks;
    const ledger = new Ledger(this.submissions, Math.max(0, dateSkewMs), this.startFrom);
    return { id: `trigger-${this.triggerCount++}`, ledger, formIds, activated: 0 };
  }

  private parametersOf({ formIds }: SimulatedTrigger): INodeParameters {
    const { triggerOn, maxSubmissions, downloadFiles } = this.schedule;
    const { startFrom } = this;
    return {
      ...this.harness.parameters(formIds[0]),
      triggerOn,
      formIds,
      options: {
        maxSubmissions,
        downloadFiles,
        ...(startFrom !== undefined && { startFrom: new Date(startFrom).toISOString() }),
      },
    };
  }

  private formsOf({ formIds }: SimulatedTrigger): string[] {
    const { triggerOn } = this.schedule;
    return triggerOn === 'allActive' ? this.formIds : triggerOn === 'one' ? formIds.slice(0, 1) : formIds;
  }

  /** The user deactivates the workflow, changes it and publishes it again. */
  private async edit(step: Edit): Promise<void> {
    // What a crash tore apart is put together by the next poll.
    if (this.torn.size > 0) return;
    this.waitForRateLimit();
    const change = this.changeOf(step);
    if (change === undefined) return;
    this.workflow.edit(change.edit);
    const ids = this.workflow.currentNodes.map(({ id }) => id);
    this.triggers = this.triggers.filter(({ id }) => ids.includes(id));
    await this.activate('activate', change.starts);
  }

  private changeOf(step: Edit): Change | undefined {
    const nodes = this.workflow.currentNodes;
    const names = nodes.map(({ name }) => name);
    const trigger = this.triggerAt('trigger' in step ? step.trigger : 0);
    const node = nodes.find(({ id }) => id === trigger.id);
    if (node === undefined) return undefined;
    const replaceBy = (by: INode) => (all: INode[]) => all.map((each) => (each.id === node.id ? by : each));
    switch (step.do) {
      case 'rename':
        return names.includes(step.name) ? undefined : { edit: replaceBy({ ...node, name: step.name }), starts: [] };
      case 'swap names': {
        const [first = '', ...others] = names;
        const swapped = [...others, first];
        const edit = (all: INode[]) => all.map((each, nth) => ({ ...each, name: swapped[nth] ?? each.name }));
        return others.length === 0 ? undefined : { edit, starts: [] };
      }
      case 'copy': {
        const name = NAMES.find((free) => !names.includes(free));
        if (names.length >= MAX_TRIGGERS || name === undefined) return undefined;
        const copy = this.newTrigger(this.existing(trigger.formIds));
        this.triggers.push(copy);
        const added = { ...node, id: copy.id, name, parameters: this.parametersOf(copy) };
        return { edit: (all) => [...all, added], starts: [this.startOfAll(copy)] };
      }
      case 'replace': {
        const other = this.newTrigger(this.existing(trigger.formIds));
        this.triggers.push(other);
        const by = { ...node, id: other.id, parameters: this.parametersOf(other) };
        return { edit: replaceBy(by), starts: [this.startOfAll(other)] };
      }
      case 'switch workspace': {
        trigger.formIds = this.existing(trigger.formIds);
        const credentials = structuredClone(node.credentials ?? {});
        for (const credential of Object.values(credentials))
          credential.id = credential.id === 'here' ? 'elsewhere' : 'here';
        const by = { ...node, credentials, parameters: this.parametersOf(trigger) };
        return { edit: replaceBy(by), starts: [this.startOfAll(trigger)] };
      }
      case 'choose forms': {
        if (this.schedule.triggerOn === 'allActive') return undefined;
        const before = this.formsOf(trigger);
        const chosen = step.forms.map((form) => this.formAt(form));
        trigger.formIds = this.schedule.triggerOn === 'one' ? chosen : [...new Set([this.harness.formId, ...chosen])];
        const after = this.formsOf(trigger);
        for (const formId of before) if (!after.includes(formId)) trigger.ledger.unwatch(formId);
        const edit = replaceBy({ ...node, parameters: this.parametersOf(trigger) });
        return { edit, starts: [{ trigger, formIds: after.filter((formId) => !before.includes(formId)) }] };
      }
    }
  }

  private startOfAll(trigger: SimulatedTrigger): Start {
    return { trigger, formIds: this.formsOf(trigger) };
  }

  private existing(formIds: string[]): string[] {
    return formIds.filter((formId) => this.formIds.includes(formId));
  }

  /** Makes all triggers active, first with a fault and then without one, as n8n tries again until it works. */
  private async activate(mode: 'activate' | 'init', starts: Start[], fault?: Fault): Promise<void> {
    const { harness, submissions } = this;
    const activation: Activation = {
      began: harness.now,
      change: submissions.changes,
      ended: harness.now,
      isPartial: fault !== undefined,
    };
    if (fault !== undefined) {
      const stop = this.break(fault);
      const outcomes = await this.activateOnce(mode);
      stop();
      for (const { trigger, ids } of outcomes) this.emit(trigger, ids);
      if (outcomes.every(({ error }) => error === undefined)) return;
    }
    const outcomes = await this.activateOnce(mode);
    activation.ended = harness.now;
    for (const { trigger, formIds } of starts) {
      for (const formId of formIds) trigger.ledger.watch(formId, activation);
      trigger.activated = activation.ended;
    }
    for (const { trigger, ids, error } of outcomes) {
      this.check(error === undefined, `an activation without a fault fails: ${error?.message ?? ''}`);
      this.emit(trigger, ids);
      this.torn.delete(trigger.id);
    }
  }

  private async activateOnce(mode: 'activate' | 'init') {
    const { harness } = this;
    const started = harness.now;
    const results = await this.workflow.activate(mode);
    const elapsedMs = harness.now - started;
    this.check(elapsedMs <= this.triggers.length * MAX_POLL_MS, `an activation takes ${elapsedMs} ms`);
    return this.triggers.map((trigger) => {
      const result = results.get(trigger.id) ?? null;
      const error = result instanceof Error ? result : undefined;
      const ids = result instanceof Error ? [] : (result?.flat().map(({ json }) => idOf(json)) ?? []);
      return { trigger, ids, error };
    });
  }

  /** Another process of n8n starts from a database. The durable scheduler makes no poll of its own then. */
  private async restart(database: IDataObject, fault?: Fault): Promise<void> {
    this.workflow = this.workflow.restarted(database);
    if (this.schedule.scheduler === 'memory') await this.activate('init', [], fault);
  }

  private async pollOnce(trigger: SimulatedTrigger): Promise<PollOutcome> {
    this.harness.poller = this.workflow.trigger(trigger.id);
    return await this.harness.poll();
  }

  private async poll(step: Poll): Promise<void> {
    const trigger = this.triggerAt(step.trigger);
    const before = this.workflow.savedStaticData;
    const stopFault = this.break(step.fault, step.crash);
    const stopInterference = this.interfere(step);
    // The durable scheduler lets no two polls of a node run at once.
    const isOverlapped = step.isOverlapped && this.schedule.scheduler === 'memory';
    const [outcome, second] = await Promise.all([
      this.pollOnce(trigger),
      isOverlapped ? this.pollOnce(trigger) : undefined,
    ]);
    stopInterference();
    stopFault();
    this.check(!second?.ids && !second?.error, 'the second of two polls at once does something');
    if (step.crash !== undefined) {
      await this.crash(trigger, step.crash, before, outcome.ids ?? []);
      return;
    }
    this.record(trigger, outcome);
    if (!isOverlapped) this.checkState(trigger, outcome);
    if (step.fault === undefined) this.checkHealthy(outcome);
    if (outcome.error === undefined) this.torn.delete(trigger.id);
  }

  /** n8n crashes, and what it had not stored is gone. */
  private async crash(trigger: SimulatedTrigger, crash: Crash, before: IDataObject, ids: string[]): Promise<void> {
    const after = this.workflow.savedStaticData;
    const isInMemory = this.schedule.scheduler === 'memory';
    let database = before;
    if (ids.length > 0 && crash === 'between the saves') {
      database = isInMemory ? after : { ...before, global: after.global };
      if (isInMemory) trigger.ledger.excuseLoss(ids);
      else this.torn.add(trigger.id);
    } else if (ids.length > 0 && crash === 'between the saves, in the other order') {
      this.emit(trigger, ids);
      database = isInMemory ? before : { ...after, global: before.global };
      if (isInMemory) trigger.ledger.excuseRepeat(ids);
      else this.torn.add(trigger.id);
    }
    await this.restart(database);
  }

  /** Polls every minute until everything that is to come has come. */
  private async finish(): Promise<void> {
    const { harness, submissions } = this;
    harness.localSkew = 0;
    this.waitForRateLimit();
    const lastVisible = Math.max(0, ...submissions.all.map(({ since = 0 }) => since));
    if (lastVisible > harness.now) harness.advance(lastVisible - harness.now);
    for (const trigger of this.triggers) await this.finishTrigger(trigger);
    harness.advance(LOOKBACK);
    for (const trigger of this.triggers) await this.checkIdle(trigger);
  }

  private async finishTrigger(trigger: SimulatedTrigger): Promise<void> {
    const { harness, schedule, submissions } = this;
    const { ledger } = trigger;
    const backlogs = ledger.backlogs(harness.now);
    const forms = this.formsOf(trigger).length;
    let quiet = 0;
    for (let polls = 1; quiet < 2; polls++) {
      harness.advance(MINUTE);
      const stop = this.break();
      const outcome = await this.pollOnce(trigger);
      stop();
      this.checkHealthy(outcome);
      this.record(trigger, outcome);
      this.checkState(trigger, outcome);
      this.torn.delete(trigger.id);
      const lost = ledger.lost(harness.now);
      for (const [formId, { owed, waiting }] of backlogs) {
        const turns = Math.ceil(waiting / schedule.maxSubmissions) + owed.filter((id) => this.slow.has(id)).length;
        // With more, submissions may wait until earlier ones leave the look-back.
        const isBounded = submissions.ofForm(formId).length < MAX_SEEN_IDS;
        const isLate = isBounded && polls > RECHECK_POLLS + forms * turns;
        this.check(!isLate || !owed.some((id) => lost.includes(id)), `${formId} waits longer than ${polls} polls`);
      }
      // What the bound on remembered IDs or a poll's time held back comes when older ones have settled.
      quiet = outcome.ids === null && (lost.length === 0 || polls > 400) ? quiet + 1 : 0;
      this.check(polls <= 450, 'the polls never come to an end');
    }
  }

  /** When all is settled, polls cost a few requests and repeat nothing, and the state holds what is watched. */
  private async checkIdle(trigger: SimulatedTrigger): Promise<void> {
    const { harness } = this;
    const { noPagination, ignoreSubmittedAfter, noDateHeader, pageSizeCap, ignorePageSize, roundSubmittedAfter } =
      harness.emulator.quirks;
    const forms = this.formsOf(trigger);
    const isOne = this.schedule.triggerOn === 'one';
    const isCrowded = this.existing(forms).some((formId) => this.rowsInWindow(trigger, formId) > pageSizeCap);
    let requests = 0;
    const polls = isOne ? 1 : 5;
    for (let count = 0; count <= polls; count++) {
      const outcome = await this.pollOnce(trigger);
      this.checkHealthy(outcome);
      // All that is owed has come; what is not, or what n8n may repeat, can come with the next recheck.
      this.emit(trigger, outcome.ids ?? []);
      if (count > 0) requests += outcome.requests.length;
      harness.advance(MINUTE);
    }
    const { formIds } = trigger;
    const known = [...forms, ...formIds].map((formId) => formId.toLowerCase());
    for (const formId of this.stateOf(trigger)?.forms.keys() ?? [])
      this.check(known.includes(formId), `the state of ${formId} is kept`);
    const isOdd =
      noPagination || ignoreSubmittedAfter || noDateHeader || ignorePageSize || roundSubmittedAfter !== undefined;
    const hasDeleted = formIds.some((formId) => !this.formIds.includes(formId));
    if (isOdd || hasDeleted || isCrowded) return;
    // Each of several forms is due once in ten minutes, and spread over them.
    const allowed = isOne ? 1 : polls + forms.length;
    this.check(requests <= allowed, `${requests} requests for ${polls} polls of ${forms.length} idle forms`);
  }

  private rowsInWindow(trigger: SimulatedTrigger, formId: string): number {
    const watermark = this.stateOf(trigger)?.forms.get(formId.toLowerCase())?.cursor.watermark ?? 0;
    const { workspace } = this.harness.emulator;
    const query = { after: (watermark - SECOND) * 1_000, order: 'asc', offset: 0, limit: 0 } as const;
    return workspace.log(formId).select(query).total;
  }

  private createForm(): string {
    return this.harness.emulator.workspace.addForm({ title: 'Another' }).id;
  }

  /** The workspace's files. Without virtual time, a slow server would take real time: all files arrive or are missing then. */
  private addFiles(): void {
    const { emulator, url } = this.harness;
    for (const kind of FILE_KINDS) {
      const name = `${kind.replace(' ', '-')}.bin`;
      const { id } = emulator.workspace.addFile({ name, type: 'application/pdf', data: Buffer.alloc(FILE_BYTES, 'x') });
      this.fileUrls.set(kind, `${url}${FILES}${kind === 'is missing' ? 'none' : id}/${name}`);
    }
    if (!this.isInProcess) return;
    for (const [kind, effect] of Object.entries(FILE_EFFECTS)) {
      emulator.fail({ when: { path: new RegExp(kind.replace(' ', '-')), every: 1, times: Infinity }, with: effect });
    }
  }

  private addForm(): void {
    if (this.formIds.length >= 6) return;
    const formId = this.createForm();
    this.addedAt.set(formId, this.harness.now);
    this.formIds.push(formId);
    if (this.schedule.triggerOn === 'allActive') for (const { ledger } of this.triggers) ledger.watchNew(formId);
  }

  private archive(formId: string, isArchived: boolean): void {
    this.harness.emulator.workspace.updateForm(formId, { isArchived });
    this.submissions.archive(formId, isArchived);
    if (!isArchived) for (const { ledger } of this.triggers) ledger.wake(formId);
  }

  /** The first form stays, so that every trigger has one. */
  private deleteForm(formId: string): void {
    const place = this.formIds.indexOf(formId);
    if (place <= 0) return;
    this.formIds.splice(place, 1);
    this.harness.emulator.workspace.deleteForm(formId);
    this.submissions.deleteForm(formId);
  }

  private insert({ form, count, ageMs, stepMs, hiddenMs, micros, zone, file }: Insert): void {
    const { harness, submissions } = this;
    const formId = this.formAt(form);
    for (let index = 0; index < count; index++) {
      const created = Math.max(harness.now - ageMs - (count - 1 - index) * stepMs, this.addedAt.get(formId) ?? 0);
      const visibleAt = harness.now + hiddenMs;
      const kind = file === 'is slow' && index > 0 ? 'arrives' : file;
      const input = {
        createdAt: zone === 'Z' ? created : inZone(created),
        micros: zone === 'Z' ? micros : 0,
        visibleAt,
        ...this.fileAnswer(kind),
      };
      const id = harness.insert(input, formId);
      if (kind === 'is slow') this.slow.add(id);
      submissions.insert(id, formId, created, visibleAt);
    }
  }

  private fileAnswer(kind: FileKind | undefined): Pick<SubmissionInput, 'responses'> {
    const url = kind && this.fileUrls.get(kind);
    return url === undefined ? {} : { responses: [{ slug: 'file', kind: 'file_upload', value: { files: [{ url }] } }] };
  }

  private delete({ pick }: Delete): void {
    const { inserted } = this.harness;
    const id = inserted.at(-1 - (pick % Math.max(1, inserted.length)));
    if (id === undefined || this.deleted.includes(id)) return;
    const { formId } = this.submissions.row(id);
    if (!this.formIds.includes(formId)) return;
    this.harness.emulator.workspace.log(formId).delete(id);
    this.deleted.push(id);
    this.submissions.delete(id);
  }

  private restore(pick: number): void {
    const { harness, submissions } = this;
    const [id] = this.deleted.length === 0 ? [] : this.deleted.splice(pick % this.deleted.length, 1);
    if (id === undefined) return;
    const { formId } = submissions.row(id);
    if (!this.formIds.includes(formId)) return;
    const { workspace } = harness.emulator;
    workspace.log(formId).restore(id);
    submissions.restore(id, Math.max(workspace.log(formId).find(id)?.visibleAt ?? 0, harness.now));
  }

  private formAt(place: number): string {
    return this.formIds[place % this.formIds.length] ?? '';
  }

  private triggerAt(place: number): SimulatedTrigger {
    const trigger = this.triggers[place % this.triggers.length];
    if (trigger === undefined) throw new Error('There is no trigger');
    return trigger;
  }

  private stateOf({ id }: SimulatedTrigger): TriggerState | undefined {
    const poller = this.workflow.trigger(id);
    const staticData = this.schedule.scheduler === 'durable' ? poller.savedStaticData : poller.staticData;
    return readState(staticData, poller.node, this.workspaceOf(poller.node));
  }

  private workspaceOf({ credentials = {} }: INode): string {
    const [credential] = Object.values(credentials);
    return this.harness.workspaces[credential?.id === 'elsewhere' ? 'elsewhere' : 'here'];
  }

  private waitForRateLimit(): void {
    const { harness } = this;
    const waitMs = this.limitedUntil - harness.now - harness.localSkew;
    if (waitMs > 0) harness.advance(waitMs);
    this.limitedUntil = 0;
  }

  /** @returns a function that ends it */
  private break(fault?: Fault, crash?: Crash): () => void {
    const { harness, isInProcess } = this;
    const { emulator } = harness;
    const send = harness.transport;
    let requests = 0;
    harness.transport = async (options, sendOn) => {
      requests++;
      if (requests > MAX_REQUESTS) throw new Error('this poll never ends');
      if (typeof crash === 'object' && requests >= crash.at) throw new Error('n8n crashed');
      return await sendOn(options);
    };
    const kind = fault !== undefined && !isInProcess && NEEDS_VIRTUAL_TIME.includes(fault.kind) ? 'reset' : fault?.kind;
    const stopFault =
      fault === undefined || kind === undefined
        ? () => undefined
        : emulator.fail({
            when: {
              nth: fault.at,
              every: 1,
              times: fault.times,
              ...(fault.form !== undefined && { path: new RegExp(this.formAt(fault.form)) }),
            },
            with: EFFECTS[kind],
          });
    return () => {
      stopFault();
      harness.transport = send;
      if (kind === 'status 429' || kind === '429 for long')
        this.limitedUntil = Math.max(this.limitedUntil, harness.now + harness.localSkew + RATE_LIMIT_MS);
    };
  }

  private interfere({ during }: Poll): () => void {
    let requests = 0;
    return this.harness.emulator.onRequest(() => {
      requests++;
      for (const { at, what } of during) {
        if (at !== requests) continue;
        if (what.do === 'insert') this.insert(what);
        else this.delete(what);
      }
    });
  }

  private record(trigger: SimulatedTrigger, outcome: PollOutcome): void {
    const { ids, error, staticData, staticDataBefore, elapsedMs, requests } = outcome;
    this.check((ids?.length ?? 0) <= this.schedule.maxSubmissions, 'a poll emits more than it may');
    this.check(requests.length < MAX_REQUESTS, 'a poll never ends');
    this.check(ids?.length !== 0, 'a poll emits an empty batch');
    this.check(elapsedMs <= MAX_POLL_MS, `a poll takes ${elapsedMs} ms`);
    this.check(
      error === undefined || isDeepStrictEqual(substance(staticData), substance(staticDataBefore)),
      'a poll that throws changes the state',
    );
    this.check(
      requests.every(({ method, path }) => method === 'GET' && (PATH.test(path) || path.startsWith(FILES))),
      'a poll sends another request',
    );
    this.checkOrder(ids ?? []);
    this.emit(trigger, ids ?? []);
  }

  private checkOrder(ids: string[]): void {
    const latest = new Map<string, number>();
    for (const id of ids) {
      const { formId, created } = this.submissions.row(id);
      this.check(created >= (latest.get(formId) ?? 0), 'the submissions of a form are not emitted oldest first');
      latest.set(formId, created);
    }
  }

  private emit(trigger: SimulatedTrigger, ids: string[]): void {
    for (const id of ids) {
      const wrong = trigger.ledger.deliver(id);
      this.check(wrong === undefined, wrong ?? '');
    }
  }

  private checkHealthy({ error }: PollOutcome): void {
    this.check(error === undefined, `a poll without a fault fails: ${error?.message ?? ''}`);
  }

  private checkState(trigger: SimulatedTrigger, { staticDataBefore, staticData }: PollOutcome): void {
    const { harness, submissions } = this;
    const { node } = this.workflow.trigger(trigger.id);
    const workspace = this.workspaceOf(node);
    const before = readState(staticDataBefore, node, workspace);
    const after = readState(staticData, node, workspace);
    if (after === undefined) return;
    const { noDateHeader, dateSkewMs } = harness.emulator.quirks;
    const latest = harness.now + dateSkewMs - LOOKBACK;
    for (const [formId, { cursor }] of after.forms) {
      const { watermark, seenIds } = cursor;
      const known = before?.forms.get(formId)?.cursor;
      this.check(known === undefined || watermark >= known.watermark || this.torn.size > 0, 'a watermark goes back');
      const limit = Math.max(latest, known?.watermark ?? 0, trigger.activated, this.startFrom ?? 0);
      this.check(noDateHeader || watermark <= limit, 'a watermark passes what is settled');
      const unsettled = [...seenIds.values()].filter((created) => created > latest).length;
      this.check(noDateHeader || unsettled <= MAX_SEEN_IDS, `${unsettled} IDs are remembered`);
      const forgotten = trigger.ledger.delivered.filter((id) => {
        const row = submissions.row(id);
        return row.formId.toLowerCase() === formId && row.created >= watermark && !seenIds.has(id);
      });
      this.check(forgotten.length === 0, `${forgotten.join(' ')} may be emitted again`);
    }
    const copies = isObject(staticData.global) ? staticData.global : {};
    const stored = JSON.stringify([staticData[`node:${node.name}`], copies[`neetoFormTrigger:${node.id}`]]);
    const bytes = stored.length;
    // The node's own state, the copy, and what the copy replaced may each hold IDs, as `id+offset`.
    const ids = stored.split('+').length - 1;
    const allowed = 1_000 + 40 * ids + 3 * 300 * after.forms.size;
    this.check(bytes <= allowed, `the state takes ${bytes} bytes`);
  }

  private check(isKept: boolean, wrong: string): void {
    if (!isKept) throw new Error(wrong);
  }
}

/** A trigger that starts to triggerOn forms. */
interface Start {
  trigger: SimulatedTrigger;
  formIds: string[];
}

interface Change {
  edit: (nodes: INode[]) => INode[];
  starts: Start[];
}

function inZone(ms: number): string {
  return new Date(ms + 5.5 * HOUR).toISOString().replace('Z', '+05:30');
}
