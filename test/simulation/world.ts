/** A service with an active workflow on it: carries out the steps of a schedule, and checks what every poll does. */

import { isDeepStrictEqual } from 'node:util';
import type { IDataObject, INode, INodeParameters, IPollFunctions } from 'n8n-workflow';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';
import { poll } from '../../nodes/NeetoForm/polling/poll';
import { createPollingWorkflow, type PollingWorkflow, type PollMode, type PollResult } from '../support/engine';
import { idOf } from '../trigger/outcome';
import { Ledger } from './ledger';
import { RETRY_AFTER, Service, type Form, type Row } from './service';
import type { Fault, Poll, Schedule, Setting, Step } from './steps';
import { VirtualTime } from '../support/virtualTime';

const MINUTE = 60_000;

/** What a poll may take at most. */
const MAX_POLL_MS = 46_000;
const MAX_REQUESTS = 400;

const NAMES = ['NeetoForm Trigger', 'New answers', 'Answers', 'Contacts'];

interface Trigger {
  id: string;
  forms: Form[];
  ledger: Ledger;
}

export class World {
  readonly triggers: Trigger[];
  private readonly setting: Setting;
  private readonly time: VirtualTime;
  private readonly service: Service;
  private workflow: PollingWorkflow;
  /** ms, the option Start From, until the workflow was published. */
  private startFrom: number | undefined;
  private readonly credential = { baseUrl: 'https://workspace.neetoform.com', apiKey: 'key' };
  /** ms by which the clock of n8n's computer is ahead. */
  private skew = 0;
  /** ms until a calm stretch begins: a pause of the service, or a clock that was set back. */
  private pause = 0;
  /** Triggers whose last batch n8n began to store before it died: renamed before they poll again, they lose it (docs/delivery.md). */
  private readonly torn = new Set<Trigger>();

  /** @param now ms since 1970 */
  constructor(setting: Setting, now: number) {
    const { triggerOn, startFromAgo, scheduler } = setting;
    const time = new VirtualTime(now);
    const service = new Service(time, setting);
    const forms = Array.from({ length: triggerOn === 'one' ? 1 : setting.forms }, () => service.addForm());
    time.advance(7 * 24 * 60 * MINUTE);

    [this.setting, this.time, this.service] = [setting, time, service];
    this.startFrom = startFromAgo && time.now - startFromAgo;
    this.triggers = NAMES.slice(0, setting.triggers).map((_, nth) => ({
      id: `node-${nth}`,
      forms,
      ledger: new Ledger(),
    }));
    const computer = {
      now: () => time.now + this.skew,
      sleep: async (ms: number) => await time.pass(ms),
      timeout: (ms: number) => time.timeout(ms),
    };
    const type = {
      description: new NeetoFormTrigger().description,
      async poll(this: IPollFunctions) {
        service.install(this);
        return await poll(this, computer);
      },
    };
    const triggers = this.triggers.map(({ id }, nth) => ({
      id,
      name: at(NAMES, nth),
      parameters: this.parameters(forms),
    }));
    this.workflow = createPollingWorkflow(type, { triggers, credentials: { here: this.credential }, scheduler });
  }

  async run({ past, fault, steps }: Schedule): Promise<void> {
    for (const step of past) await this.take(step);
    this.time.advance(MINUTE);
    await this.publish('activate', fault);
    for (const step of steps) await this.take(step);
    await this.take({ do: 'set clock', skew: 0 });
    await this.calm();
  }

  private async take(step: Step): Promise<void> {
    const { time, service, setting, triggers } = this;
    const { forms } = service;
    const isAll = setting.triggerOn === 'allActive';
    switch (step.do) {
      case 'submit': {
        const form = at(forms, step.form);
        const count = form.isArchived ? 0 : Math.min(step.count, 10 * setting.maxSubmissions);
        for (let later = count - 1; later >= 0; later--) {
          const created = Math.max(form.created, time.now - step.ago - later * step.apart);
          service.addRow(form, created, setting.hasFiles ? step.file : undefined);
        }
        return;
      }
      case 'change': {
        const rows = forms.flatMap((form) => form.rows).filter(({ isThere }) => isThere !== step.isRestored);
        if (rows.length > 0) service.setThere(at(rows, step.pick), step.isRestored);
        return;
      }
      case 'poll':
        time.advance(step.after);
        await this.poll(at(triggers, step.trigger), step);
        this.torn.delete(at(triggers, step.trigger));
        return;
      case 'calm':
        await this.calm();
        this.torn.clear();
        return;
      case 'crash': {
        time.advance(MINUTE);
        const { ledger } = at(triggers, step.trigger);
        const { rows } = await this.poll(at(triggers, step.trigger), {}, step.stored);
        const isTorn = setting.scheduler !== 'durable';
        if (isTorn && step.stored === 'workflow') ledger.excuseLoss(rows);
        if (isTorn && step.stored === 'execution') ledger.excuseRepetition(rows);
        if (step.stored === 'workflow') this.torn.add(at(triggers, step.trigger));
        await this.restart();
        return;
      }
      case 'restart':
        await this.restart(step.fault);
        return;
      case 'rename': {
        const { id } = at(triggers, step.trigger);
        const name = at(NAMES, step.name);
        if (this.torn.has(at(triggers, step.trigger))) return;
        if (this.workflow.currentNodes.some((node) => node.name === name)) return;
        await this.edit((node) => (node.id === id ? { ...node, name } : node), step.fault);
        return;
      }
      case 'swap names': {
        if (this.torn.size > 0) return;
        const names = this.workflow.currentNodes.map((node) => node.name).reverse();
        await this.edit((node, nth) => ({ ...node, name: names[nth] ?? '' }));
        return;
      }
      case 'unpublish':
        time.advance(step.ms);
        await this.edit((node) => node, step.fault);
        return;
      case 'choose': {
        if (setting.triggerOn !== 'several') return;
        const trigger = at(triggers, step.trigger);
        trigger.forms = [...new Set(step.forms.map((form) => at(forms, form)))];
        for (const form of forms) if (!trigger.forms.includes(form)) trigger.ledger.watched.delete(form);
        const parameters = this.parameters(trigger.forms);
        await this.edit((node) => (node.id === trigger.id ? { ...node, parameters } : node), step.fault);
        return;
      }
      case 'move': {
        if (forms.some(({ isArchived }) => isArchived)) return;
        time.advance(this.pause + MINUTE);
        const { baseUrl } = this.credential;
        this.changeAddress(`https://workspace-${time.now}.neetoform.com`);
        const { rows, error } = await this.poll(at(triggers, step.trigger));
        check(rows.length === 0 && error !== undefined, 'a poll in a workspace that it does not know does not fail');
        if (!step.isPublished) {
          this.changeAddress(baseUrl);
          return;
        }
        for (const { ledger } of triggers) ledger.watched.clear();
        await this.edit((node) => node);
        return;
      }
      case 'add form': {
        if (!isAll) return;
        // The service tells its time to the second.
        time.advance(1_000);
        const form = service.addForm();
        for (const { ledger } of triggers) ledger.watchNew(form);
        return;
      }
      case 'remove form': {
        if (!isAll || forms.length === 1) return;
        const [form] = forms.splice(step.form % forms.length, 1);
        if (form !== undefined) for (const { ledger } of triggers) ledger.watched.delete(form);
        return;
      }
      case 'archive':
        if (isAll) at(forms, step.form).isArchived = step.isArchived;
        return;
      case 'set clock':
        this.pause += Math.max(0, this.skew - step.skew);
        this.skew = step.skew;
    }
  }

  /** Nothing is wrong for a while: then everything owed is delivered. */
  private async calm(): Promise<void> {
    this.time.advance(this.pause + RETRY_AFTER * 1_000);
    this.pause = 0;
    const rows = Math.max(...this.service.forms.map((form) => form.rows.length));
    const end = this.time.now + 20 * MINUTE + 10 * MINUTE * Math.ceil(rows / this.setting.pageCap);
    for (let count = 0, isBusy = false; this.time.now < end || isBusy; count++) {
      check(count < 500, 'polls never come to an end');
      this.time.advance(isBusy ? MINUTE : 6 * MINUTE);
      isBusy = false;
      for (const trigger of this.triggers) {
        const polled = await this.poll(trigger);
        if (polled.error !== undefined) throw polled.error;
        isBusy ||= polled.rows.length > 0;
      }
    }
    const missing = this.triggers.flatMap(({ ledger }) => ledger.missing.map((row) => `${row.id} of ${row.form.id}`));
    check(missing.length === 0, `${missing.join()} should have been delivered`);
  }

  /** One poll of a trigger, with what holds of every poll. @param stored what of it n8n stores before it dies */
  private async poll(
    { id, ledger }: Trigger,
    { fault, overlap, during = [] }: Partial<Poll> = {},
    stored: PollMode['stored'] = 'all',
  ): Promise<{ rows: Row[]; error?: Error }> {
    const { service, time, workflow } = this;
    const name = workflow.find(id)?.name ?? '';
    const before = workflow.staticDataOf(name);
    const began = time.now;
    let second: Promise<PollResult> | undefined;
    const startSecond = async () => await (second ??= workflow.poll(name).catch(() => null));
    service.begin(fault);
    service.onRequest = (number) => {
      if (number === 1 && overlap === 'running') void startSecond();
      for (const each of during) if (each.at === number) void this.take(each.step);
    };
    let error: Error | undefined;
    let result: PollResult = null;
    try {
      const beforeStoring = overlap === 'storing' ? startSecond : undefined;
      result = await time.until(workflow.poll(name, { stored, beforeStoring }));
    } catch (thrown) {
      if (!(thrown instanceof Error)) throw thrown;
      error = thrown;
    }
    const rows = this.rowsIn(result);
    const others = this.rowsIn((await second) ?? null);
    check(time.now - began <= MAX_POLL_MS * (overlap ? 2 : 1), `a poll takes ${time.now - began} ms`);
    check(service.requests <= MAX_REQUESTS, `a poll sends ${service.requests} requests`);
    check(service.foreign === undefined, `a poll sends ${service.foreign}`);
    const after = workflow.staticDataOf(name);
    const hasThrown = error !== undefined && second === undefined;
    check(!hasThrown || isDeepStrictEqual(after, before), 'a poll that throws changes the state');
    check(isDeepStrictEqual(apart(after, name, id), apart(before, name, id)), 'a poll changes the state of another');
    const all = service.forms.reduce((sum, form) => sum + form.rows.length, 0);
    const allowed = this.triggers.length * NAMES.length * (4_000 + 80 * all);
    check(JSON.stringify(after).length <= allowed, `the state takes more than ${allowed} bytes`);
    if (stored === 'all' || stored === 'execution') ledger.deliver(rows);
    ledger.deliver(others);
    this.notePause(fault);
    return { rows, error };
  }

  private changeAddress(baseUrl: string): void {
    this.credential.baseUrl = baseUrl;
    this.workflow.changeCredential('here', this.credential);
  }

  private async edit(change: (node: INode, nth: number) => INode, fault?: Fault): Promise<void> {
    this.workflow.edit((nodes) => nodes.map(change));
    await this.publish('update', fault);
  }

  /** Another process of n8n. Only its own timers make a poll then. */
  private async restart(fault?: Fault): Promise<void> {
    this.workflow = this.workflow.restarted();
    if (this.setting.scheduler === 'memory') await this.publish('init', fault);
  }

  /** Publishes the workflow, or starts n8n with it; again until it is active. */
  private async publish(mode: 'activate' | 'update' | 'init', firstFault?: Fault): Promise<void> {
    const { service, time, triggers, setting } = this;
    for (let attempt = 0, isActive = false; !isActive; attempt++) {
      check(attempt < 10, 'the workflow cannot be published');
      const began = time.now;
      const fault = attempt === 0 ? firstFault : undefined;
      service.begin(fault);
      const results = await time.until(this.workflow.activate(mode));
      check(time.now - began <= triggers.length * MAX_POLL_MS, `a publication takes ${time.now - began} ms`);
      const start = { began, ended: time.now, isBlind: fault !== undefined, pageSize: setting.pageCap };
      isActive = true;
      for (const { id, ledger, forms } of triggers) {
        const result = results.get(this.workflow.find(id)?.name ?? '') ?? null;
        isActive &&= !(result instanceof Error);
        if (result instanceof Error) continue;
        for (const form of setting.triggerOn === 'allActive' ? service.forms : forms)
          if (service.forms.includes(form) && !ledger.watched.has(form))
            ledger.start(form, { ...start, startFrom: this.startFrom });
        ledger.deliver(this.rowsIn(result));
      }
      time.advance(MINUTE);
    }
    this.startFrom = undefined;
    this.notePause(firstFault);
  }

  private notePause(fault?: Fault): void {
    if (fault?.effect === 429) this.pause = Math.max(this.pause, RETRY_AFTER * 1_000);
  }

  private rowsIn(result: PollResult): Row[] {
    const ids = result?.flat().map(({ json }) => idOf(json));
    check(ids?.length !== 0, 'a poll emits an empty batch');
    check((ids?.length ?? 0) <= this.setting.maxSubmissions, 'a poll emits more than it may');
    const rows = new Map(this.service.forms.flatMap((form) => form.rows).map((row) => [row.id, row]));
    return (ids ?? []).map((id) => rows.get(id) ?? raise(`${id} does not exist`));
  }

  private parameters(forms: Form[]): INodeParameters {
    const { triggerOn, maxSubmissions, hasFiles } = this.setting;
    const startFrom = this.startFrom && new Date(this.startFrom).toISOString();
    const [formId = ''] = forms.map(({ id }) => id);
    return {
      triggerOn,
      formId: { __rl: true, mode: 'id', value: formId },
      formIds: forms.map(({ id }) => id),
      output: 'raw',
      options: { maxSubmissions, downloadFiles: hasFiles, ...(startFrom && { startFrom }) },
    };
  }
}

/** Static data without that of one node. */
function apart({ global = {}, ...nodes }: IDataObject, name: string, id: string): unknown {
  return [Object.entries(global ?? {}), Object.entries(nodes)].map((entries) =>
    entries.filter(([key]) => !key.includes(name) && !key.includes(id)),
  );
}

function at<T>(items: readonly T[], place: number): T {
  return items[place % items.length] ?? raise('There is nothing to choose from');
}

function raise(wrong: string): never {
  throw new Error(wrong);
}

/** @throws Error that says what is wrong */
function check(isKept: boolean, wrong: string): asserts isKept {
  if (!isKept) raise(wrong);
}
