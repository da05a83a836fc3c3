import { setTimeout as sleep } from 'node:timers/promises';

import { type Chance, createChance } from './chance.ts';
import type { StoredExecution } from './database.ts';
import { type EnduranceN8n, startEnduranceN8n } from './enduranceN8n.ts';
import { type Account, Ledger } from './ledger.ts';
import { type Mode, receivedLine } from './modes.ts';
import { asksFor, createGate, until, untilPolled } from './watch.ts';
import { pollingWorkflow, triggerName } from './workflows.ts';

/** When n8n is killed, seen from the poll of one workflow. */
const moments = [
  'request under way',
  'after the answer',
  'state saved',
  'execution stored',
  'execution ended',
] as const;
type PollMoment = (typeof moments)[number];
type Moment = PollMoment | 'just activated';

interface Watched {
  id: string;
  name: string;
  formId: string;
  ledger: Ledger;
  /** Executions there were when n8n started last. */
  before: number;
}

/** What a run of kills came to. */
export interface KillReport {
  mode: Mode;
  seed: number;
  kills: number;
  moments: Partial<Record<Moment, number>>;
  accounts: Account[];
  executions: StoredExecution[];
  /** Starts after a kill that n8n itself broke off. */
  failedStarts: number;
  seconds: number;
}

/** Five minutes on a machine of its own; n8n takes a core while it starts, and it starts more than twenty times. */
export const killsTimeoutMs = 1_800_000;

const activationKills = 3;

/** An n8n that is killed while it starts a trigger tries it again after this time; of itself it waits two minutes. */
const impatience = { N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '20' };

/** Kills n8n in the middle of its polls, again and again, and accounts for every submission at the end. */
export async function runKills(mode: Mode, seed: number, kills: number): Promise<KillReport> {
  const started = Date.now();
  const run = new KillRun(mode, await startEnduranceN8n(mode, impatience), createChance(seed));
  try {
    await run.begin();
    for (let kill = 1; kill <= kills; kill++)
      await (kill <= activationKills ? run.killAfterActivation() : run.killInPoll());
    const { accounts, executions } = await run.settle();
    return {
      mode,
      seed,
      kills,
      moments: run.moments,
      failedStarts: run.failedStarts,
      accounts,
      executions,
      seconds: Math.round((Date.now() - started) / 1000),
    };
  } finally {
    await run.stop();
  }
}

class KillRun {
  readonly moments: Partial<Record<Moment, number>> = {};
  failedStarts = 0;
  private readonly watched: Watched[] = [];
  private readonly mode: Mode;
  private readonly instance: EnduranceN8n;
  private readonly chance: Chance;
  /** Lines in n8n's log when it started last. */
  private logBefore = 0;

  constructor(mode: Mode, instance: EnduranceN8n, chance: Chance) {
    this.mode = mode;
    this.instance = instance;
    this.chance = chance;
  }

  async begin(): Promise<void> {
    for (let number = 1; number <= 2; number++) await this.activateAnother();
  }

  /** Kills n8n when it has just told that a new workflow is active, with submissions before and after its death. */
  async killAfterActivation(): Promise<void> {
    const newcomer = await this.activateAnother();
    this.submit(newcomer, this.chance.between(0, 2));
    await sleep(this.chance.between(0, 300));
    await this.kill('just activated');
    this.submit(newcomer, this.chance.between(1, 2));
    await this.start();
    await untilPolled(this.instance.emulator, newcomer.formId);
  }

  async killInPoll(): Promise<void> {
    const { chance, instance, mode } = this;
    const target = this.pickWatched();
    const moment = chance.pick(moments);
    if (chance.between(0, 1) === 1) this.submitSomewhere(target);
    const isStartup = mode === 'memory' && chance.between(0, 1) === 1;
    if (isStartup) {
      this.submitSomewhere(target);
      const open = this.holdRequests();
      await this.start();
      const struck = this.untilMoment(moment, target);
      open();
      await struck;
    } else {
      await this.start();
      await untilPolled(instance.emulator, target.formId);
      await sleep(chance.between(500, 1_500));
      const struck = this.untilMoment(moment, target);
      this.submitSomewhere(target);
      await struck;
    }
    await this.kill(moment);
  }

  /** Lets everything left be handed out. */
  async settle(): Promise<{ accounts: Account[]; executions: StoredExecution[] }> {
    const { instance } = this;
    await this.start();
    await Promise.all(this.watched.map(async ({ formId }) => await untilPolled(instance.emulator, formId, 3)));
    await sleep(2_000);
    const found = this.watched.map(({ id, ledger }) => {
      const executions = instance.database.executions(id);
      return { executions, account: ledger.settle(executions) };
    });
    return { accounts: found.map(({ account }) => account), executions: found.flatMap(({ executions }) => executions) };
  }

  async stop(): Promise<void> {
    this.instance.emulator.reset();
    await this.instance.stop();
  }

  private async activateAnother(): Promise<Watched> {
    const { instance, watched } = this;
    const number = watched.length + 1;
    const form = instance.emulator.workspace.addForm({ title: `Form ${number}` });
    const name = `Workflow ${number}.`;
    const workflow = await instance.client.createWorkflow(
      pollingWorkflow({ name, credential: instance.credential, formId: form.id }),
    );
    await instance.client.activate(workflow);
    const newcomer = { id: workflow.id, name, formId: form.id, ledger: new Ledger(), before: 0 };
    watched.push(newcomer);
    return newcomer;
  }

  private pickWatched(): Watched {
    const [first, ...others] = this.watched;
    if (first === undefined) throw new Error('No workflow is watched');
    return this.chance.pick([first, ...others]);
  }

  /** A few submissions, now and then more than a page of them, and perhaps some elsewhere. */
  private submitSomewhere(target: Watched): void {
    this.submit(target, this.chance.between(1, 6) === 1 ? this.chance.between(101, 230) : this.chance.between(1, 4));
    this.submit(this.pickWatched(), this.chance.between(0, 2));
  }

  private submit({ formId, ledger }: Watched, count: number): void {
    for (let number = 1; number <= count; number++)
      ledger.submit(this.instance.emulator.workspace.addSubmission(formId).id);
  }

  /** Lets no request be answered before this is taken back, so that the first polls of n8n wait until it can be killed. */
  private holdRequests(): () => void {
    const gate = createGate();
    const remove = this.instance.emulator.onRequest(async () => await gate.opened);
    return () => {
      remove();
      gate.open();
    };
  }

  private async untilMoment(moment: PollMoment, { id, formId }: Watched): Promise<void> {
    const { database } = this.instance;
    const often = { everyMs: 1 };
    const [state, stored, ended] = [
      database.stateText(id),
      database.countExecutions(id),
      database.countExecutions(id, true),
    ];
    switch (moment) {
      case 'request under way':
        await this.untilRequest(formId, { isHeld: true });
        break;
      case 'after the answer':
        await this.untilRequest(formId, { isHeld: false });
        break;
      case 'state saved':
        await until(moment, () => database.stateText(id) !== state, often);
        break;
      case 'execution stored':
        await until(moment, () => database.countExecutions(id) > stored, often);
        break;
      case 'execution ended':
        await until(moment, () => database.countExecutions(id, true) > ended, often);
        await sleep(this.chance.between(0, 100));
        break;
    }
  }

  /** Waits for the next request for submissions: with it unanswered, or a moment after its answer. */
  private async untilRequest(formId: string, { isHeld }: { isHeld: boolean }): Promise<void> {
    const arrived = createGate();
    const remove = this.instance.emulator.onRequest(async (request) => {
      if (!asksFor(formId, request)) return;
      arrived.open();
      if (isHeld) await sleep(1_000);
    });
    await arrived.opened;
    remove();
    await sleep(this.chance.between(0, isHeld ? 50 : 120));
  }

  private async kill(moment: Moment): Promise<void> {
    const { instance } = this;
    await instance.n8n.kill9();
    this.moments[moment] = (this.moments[moment] ?? 0) + 1;
    const lines = instance.n8n.log.lines.slice(this.logBefore);
    for (const { id, name, formId, ledger, before } of this.watched) {
      const state = instance.database.state(id, triggerName, formId);
      const createdAt = (submission: string): number =>
        (instance.emulator.workspace.submission(formId, submission)?.micros ?? 0) / 1000;
      ledger.inspect({
        executions: instance.database.executions(id),
        received: lines.filter((line) => line.includes(receivedLine) && line.includes(`"${name}"`)).length,
        before,
        isDealtWith: (submission) =>
          state !== undefined && (state.seen.has(submission) || createdAt(submission) < state.c),
      });
    }
  }

  /** Starts n8n, after letting it end if it runs. */
  private async start(): Promise<void> {
    const { instance } = this;
    this.logBefore = instance.n8n.log.lines.length;
    for (const watched of this.watched) watched.before = instance.database.countExecutions(watched.id);
    try {
      await instance.n8n.restart();
    } catch (error) {
      // n8n 2.40 ends while it recovers from a kill if an execution was stored but not begun; the next start skips the recovery.
      if (!instance.n8n.log.tail(200).includes("reading 'getTime'")) throw error;
      this.failedStarts++;
      await instance.n8n.restart();
    }
  }
}
