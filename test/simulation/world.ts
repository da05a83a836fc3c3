/** A service, and an n8n with an active workflow. It carries out the steps of a schedule, and checks what every poll does. */

import { ok as check } from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { IDataObject, INode, INodeParameters, IPollFunctions } from 'n8n-workflow';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';
import { poll } from '../../nodes/NeetoForm/polling/poll';
import { createPollingWorkflow, type PollingWorkflow, type PollMode, type PollResult } from '../support/engine';
import { VirtualTime } from '../support/virtualTime';
import { DAY, HOUR, idOf, MINUTE, SECOND } from '../trigger/outcome';
import { Ledger } from './ledger';
import { Service, type Form, type Row } from './service';
import type { Fault, Poll, Schedule, Setting, Step } from './steps';

/** How long a poll may take, in ms. */
const MAX_POLL_MS = 46_000;

const CREDENTIALS = { here: { baseUrl: 'https://workspace.neetoform.com', apiKey: 'key' } };

const NAMES = ['NeetoForm Trigger', 'New answers', 'Answers', 'Contacts'];

/** The type of the step whose `do` has this value. */
type StepTo<What extends Step['do']> = Extract<Step, { do: What }>;

interface Trigger {
  id: string;
  /** The forms that it watches: those of the service, unless others were chosen. */
  forms: Form[];
  ledger: Ledger;
}

export class World {
  readonly triggers: Trigger[];
  private readonly setting: Setting;
  private readonly time: VirtualTime;
  private readonly service: Service;
  private readonly workflow: PollingWorkflow;
  private readonly steps: { [Do in Step['do']]: (step: StepTo<Do>) => Promise<void> | void } = {
    submit: (step) => this.submit(step),
    change: (step) => this.showOrDelete(step),
    poll: async (step) => {
      this.time.advance(step.after);
      await this.poll(at(this.triggers, step.trigger), step);
    },
    calm: async () => await this.calm(),
    crash: async (step) => await this.crash(step),
    publish: async (step) => await this.republish(step),
    'publish in a poll': async (step) => await this.publishInPoll(step),
    form: (step) => this.changeForm(step),
    'set clock': ({ skew }) => {
      this.time.skew = skew;
    },
  };

  /** @param now ms since 1970 */
  constructor(setting: Setting, now: number) {
    const time = (this.time = new VirtualTime(now));
    const service = (this.service = new Service(time, setting));
    for (let forms = setting.triggerOn === 'one' ? 1 : setting.forms; forms > 0; forms--) service.addForm();
    time.advance(7 * DAY);
    this.setting = setting;
    const ids = ['node-1', 'node-2'].slice(0, setting.triggers);
    this.triggers = ids.map((id) => ({ id, forms: service.forms, ledger: new Ledger() }));
    const type = {
      description: new NeetoFormTrigger().description,
      async poll(this: IPollFunctions) {
        service.install(this);
        return await poll(this, time.computer);
      },
    };
    const triggers = ids.map((id, nth) => ({ id, name: at(NAMES, nth), parameters: this.parameters(service.forms) }));
    this.workflow = createPollingWorkflow(type, { triggers, credentials: CREDENTIALS, scheduler: setting.scheduler });
  }

  async run({ past, fault, steps }: Schedule): Promise<void> {
    for (const step of past) await this.take(step);
    this.time.advance(MINUTE);
    await this.publish('activate', fault);
    for (const step of steps) await this.take(step);
    this.time.skew = 0;
    await this.calm();
  }

  private async take<Do extends Step['do']>(step: StepTo<Do>): Promise<void> {
    await this.steps[step.do](step);
  }

  private submit({ form: place, count, ago, apart: between }: StepTo<'submit'>): void {
    const { service, time, setting } = this;
    const form = at(service.forms, place);
    const most = form.isArchived ? 0 : Math.min(count, 10 * setting.maxSubmissions);
    for (let later = most - 1; later >= 0; later--)
      service.addRow(form, Math.max(form.created, time.now - ago - later * between));
  }

  /** Shows a submission that was not visible yet, or deletes one that was. */
  private showOrDelete({ pick }: StepTo<'change'>): void {
    const { service } = this;
    const row = [...service.rows.values()].at(-1 - pick);
    if (row === undefined || !service.forms.includes(row.form)) return;
    const place = row.form.rows.indexOf(row);
    if (place === -1) service.show(row);
    else row.form.rows.splice(place, 1);
  }

  /** n8n dies in a poll, when it has stored a part of what the poll returned, and starts again. */
  private async crash({ trigger: place, stored, fault }: StepTo<'crash'>): Promise<void> {
    const { scheduler } = this.setting;
    this.time.advance(MINUTE);
    const trigger = at(this.triggers, place);
    const { rows } = await this.poll(trigger, {}, stored);
    const isTorn = scheduler !== 'durable';
    if (isTorn && stored === 'workflow') trigger.ledger.excuseLoss(rows);
    if (isTorn && stored === 'execution') trigger.ledger.excuseRepetition(rows);
    this.workflow.restart();
    // With n8n's own timers, the start of n8n makes a poll.
    if (scheduler === 'memory') await this.publish('init', fault);
    // A trigger that is renamed before it polls again may lose the batch (docs/delivery.md).
    await this.poll(trigger);
  }

  /** The user renames a trigger or chooses other forms for it, and publishes the workflow again. */
  private async republish({
    trigger: place,
    after,
    forms,
    name: nameAt,
    isEdited,
    fault,
  }: StepTo<'publish'>): Promise<void> {
    this.time.advance(after);
    const trigger = at(this.triggers, place);
    if (forms && this.setting.triggerOn === 'several')
      trigger.forms = [...new Set(forms.map((each) => at(this.service.forms, each)))];
    this.edit(trigger, nameAt, isEdited);
    await this.publish('update', fault);
  }

  /** Whether a trigger that is published beside an unchanged one may lose or repeat a batch, unless the workflow is unpublished first (docs/delivery.md). */
  private get losesOnPublication(): boolean {
    return this.setting.scheduler === 'memory' && this.triggers.length > 1;
  }

  /** The user publishes the workflow again while a trigger polls; with a pause, it is unpublished first. */
  private async publishInPoll({
    trigger: place,
    name,
    isEdited,
    pause,
    fault,
  }: StepTo<'publish in a poll'>): Promise<void> {
    const { service, time, workflow } = this;
    time.advance(MINUTE);
    const trigger = at(this.triggers, place);
    const publish = async () => {
      this.edit(trigger, name, isEdited);
      await this.publish('update', fault);
    };
    let publishing: Promise<void> | undefined;
    service.begin();
    service.onRequest = (number) => {
      if (number > 1) return;
      if (pause === undefined) publishing = publish();
      else workflow.unpublish();
    };
    const polling = workflow.poll({}, workflow.nodeOf(trigger.id)).catch(() => null);
    trigger.ledger.deliver(this.rowsIn(await time.until(polling)));
    time.advance(pause ?? 0);
    await (publishing ?? publish());
  }

  /** Gives a trigger a name, by its number, its forms, and perhaps other poll times. A trigger that has this name already gets the former one. */
  private edit({ id, forms }: Trigger, nameAt: number | undefined, isEdited: boolean): void {
    const { name: before } = this.workflow.nodeOf(id);
    const name = nameAt === undefined ? before : at(NAMES, nameAt);
    this.workflow.edit((nodes) =>
      nodes.map((node): INode => {
        const pollTimes = isEdited ? this.time.now : (node.parameters.pollTimes ?? 0);
        if (node.id === id) return { ...node, name, parameters: { ...this.parameters(forms), pollTimes } };
        return node.name === name ? { ...node, name: before } : node;
      }),
    );
  }

  private changeForm({ form: place, becomes }: StepTo<'form'>): void {
    const { service, time, triggers, setting } = this;
    const { forms } = service;
    const form = at(forms, place);
    if (setting.triggerOn !== 'allActive') return;
    if (becomes === 'added') {
      // The service tells its time in whole seconds.
      time.advance(SECOND);
      const added = service.addForm();
      for (const { ledger } of triggers) ledger.start(added, -Infinity, time.now);
    } else if (becomes !== 'removed') {
      form.isArchived = becomes === 'archived';
    } else if (forms.length > 1) {
      forms.splice(forms.indexOf(form), 1);
      form.rows = [];
    }
  }

  /** For a while nothing fails. Then everything that is owed must have been delivered. */
  private async calm(): Promise<void> {
    const { time, triggers, setting } = this;
    // So long that every pause is over, even if the clock was set back meanwhile.
    time.advance(6 * HOUR);
    const rows = Math.max(...this.service.forms.map((form) => form.rows.length));
    const end = time.now + 20 * MINUTE + 10 * MINUTE * Math.ceil(rows / setting.pageCap);
    for (let count = 0, isBusy = false; time.now < end || isBusy; count++) {
      check(count < 500, 'polls never come to an end');
      time.advance(isBusy ? MINUTE : 6 * MINUTE);
      isBusy = false;
      for (const trigger of triggers) {
        const polled = await this.poll(trigger);
        if (polled.error !== undefined) throw polled.error;
        isBusy ||= polled.rows.length > 0;
      }
    }
    const missing = triggers.flatMap(({ ledger }) => ledger.missing.map((row) => `${row.id} of ${row.form.id}`));
    check(missing.length === 0, `${missing.join()} should have been delivered`);
  }

  /** Polls once, and checks what must be true of every poll. @param stored the part of its results that n8n stores before it dies */
  private async poll(
    { id, ledger }: Trigger,
    { fault, overlap, during = [] }: Partial<Poll> = {},
    stored: PollMode['stored'] = 'all',
  ): Promise<{ rows: Row[]; error: Error | undefined }> {
    const { service, time, workflow } = this;
    const node = workflow.nodeOf(id);
    const before = workflow.staticDataOf(node);
    const began = time.now;
    let second: Promise<PollResult> | undefined;
    const startSecond = async () => await (second ??= workflow.poll({}, node).catch(() => null));
    service.begin(fault);
    service.onRequest = (number) => {
      if (number === 1 && overlap === 'running') void startSecond();
      for (const each of during) if (each.at === number) void this.take(each.step);
    };
    const beforeStoring = overlap === 'storing' ? startSecond : undefined;
    const polling = workflow.poll({ stored, beforeStoring }, node);
    const failed = (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown)));
    const result = await time.until(polling.catch(failed));
    const error = result instanceof Error ? result : undefined;
    const rows = this.rowsIn(result);
    const others = this.rowsIn(await second);
    check(time.now - began <= MAX_POLL_MS * (overlap ? 2 : 1), `a poll takes ${time.now - began} ms`);
    check(service.requests <= 400, `a poll sends ${service.requests} requests`);
    const after = workflow.staticDataOf(node);
    check(error === undefined || second !== undefined || isDeepStrictEqual(after, before), 'a throw changes the state');
    check(isDeepStrictEqual(apart(after, node), apart(before, node)), 'a poll changes the state of another');
    const allowed = this.triggers.length * NAMES.length * (4_000 + 80 * service.rows.size);
    check(JSON.stringify(after).length <= allowed, `the state takes more than ${allowed} bytes`);
    if (stored === 'all' || stored === 'execution') ledger.deliver(rows);
    ledger.deliver(others);
    return { rows, error };
  }

  /** Publishes the workflow, or starts n8n with it; again until it is active. */
  private async publish(mode: 'activate' | 'update' | 'init', firstFault?: Fault): Promise<void> {
    const { service, time, triggers } = this;
    for (let attempt = 0, isActive = false; !isActive; attempt++) {
      check(attempt < 10, 'the workflow cannot be published');
      const began = time.now;
      const fault = attempt === 0 ? firstFault : undefined;
      if (mode === 'update' && this.losesOnPublication) this.workflow.unpublish();
      service.begin(fault);
      const results = await time.until(this.workflow.activateAll(mode));
      // A publication may have to wait for a poll that is under way, and until n8n has stored what that poll emitted.
      check(time.now - began <= (triggers.length + 1) * MAX_POLL_MS, `a publication takes ${time.now - began} ms`);
      isActive = [...results.values()].every((result) => !(result instanceof Error));
      for (const { id, ledger, forms } of triggers) {
        const result = results.get(this.workflow.nodeOf(id).name);
        if (result instanceof Error) continue;
        this.watch(ledger, forms, fault === undefined ? began : undefined);
        ledger.deliver(this.rowsIn(result));
      }
      time.advance(MINUTE);
    }
  }

  /** Notes what a published trigger owes from now on. @param began when its first poll began (ms); undefined if something failed in it */
  private watch(ledger: Ledger, forms: Form[], began: number | undefined): void {
    const { setting, time } = this;
    for (const form of ledger.watched.keys()) if (!forms.includes(form)) ledger.watched.delete(form);
    for (const form of forms.filter((each) => !ledger.watched.has(each))) {
      // The first poll sees the newest page of what is there, unless something failed.
      const seen = form.rows.at(-setting.pageCap)?.created ?? -Infinity;
      if (began === undefined) ledger.start(form, time.now, -Infinity);
      else ledger.start(form, seen, began);
    }
  }

  /** The submissions in what a poll returned. */
  private rowsIn(result: PollResult | Error | undefined): Row[] {
    if (!Array.isArray(result)) return [];
    const items = result.flat();
    const rows = items.flatMap(({ json }) => this.service.rows.get(idOf(json)) ?? []);
    check(items.length > 0 && items.length <= this.setting.maxSubmissions, `a poll emits ${items.length} items`);
    check(rows.length === items.length, 'a poll emits what is no submission');
    return rows;
  }

  private parameters(forms: Form[]): INodeParameters {
    const { triggerOn, maxSubmissions } = this.setting;
    return {
      triggerOn,
      formId: { __rl: true, mode: 'id', value: forms[0]?.id ?? '' },
      formIds: forms.map(({ id }) => id),
      output: 'raw',
      options: { maxSubmissions },
    };
  }
}

/** The static data of a workflow, without that of one node. */
function apart({ global = {}, ...nodes }: IDataObject, { name, id }: INode): unknown {
  return [Object.entries(global ?? {}), Object.entries(nodes)].map((entries) =>
    entries.filter(([key]) => !key.includes(name) && !key.includes(id)),
  );
}

function at<T>(items: readonly T[], place: number): T {
  const item = items[place % items.length];
  check(item !== undefined);
  return item;
}
