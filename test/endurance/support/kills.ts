import { setTimeout as sleep } from 'node:timers/promises';

import { type Outcome, SubmissionAccount } from './account.ts';
import { type Chance, createChance } from './chance.ts';
import type { StoredExecution } from './database.ts';
import { type EnduranceInstance, type Mode, receivedLine, startEnduranceInstance } from './modes.ts';
import { readsSubmissions, until, untilPolled } from './watch.ts';
import { pollingWorkflow } from './workflows.ts';

/** When n8n is killed, relative to the poll of one workflow. */
const moments = [
  'request under way',
  'after the response',
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
  account: SubmissionAccount;
  /** Executions there were when n8n started last. */
  before: number;
}

/** The results of all kills. */
interface KillReport {
  mode: Mode;
  seed: number;
  kills: number;
  moments: Partial<Record<Moment, number>>;
  outcomes: Outcome[];
  executions: StoredExecution[];
  /** Starts after a kill in which n8n exited by itself. */
  failedStarts: number;
  seconds: number;
}

/** About five minutes on an idle computer: n8n starts more than twenty times. */
const killsTimeoutMs = 1_800_000;

const activationKills = 3;

/** After a kill while it starts a trigger, n8n tries again after this time (by default two minutes). */
const shortLease = { N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '20' };

/** Defines the tests of an n8n that is killed 22 times. The seed is in ENDURANCE_SEED, or new. */
export function describeKills(mode: Mode): void {
  const seed = Number(process.env['ENDURANCE_SEED'] ?? Date.now() % 1_000_000);
  let report: KillReport;
  beforeAll(async () => {
    report = await runKills(mode, seed, 22);
    process.stdout.write(summary(report));
  }, killsTimeoutMs);
  const ids = (field: 'lostByN8n' | 'lostByUs' | 'repeatedByN8n' | 'repeatedByUs' | 'foreign') =>
    report.outcomes.flatMap((outcome) => outcome[field]);

  it('was killed at least 20 times', () => {
    expect(report.kills).toBeGreaterThanOrEqual(20);
  });

  if (mode === 'durable') {
    it('starts the workflow for every submission', () => {
      expect([...ids('lostByUs'), ...ids('lostByN8n')]).toEqual([]);
    });

    it('starts it for none twice', () => {
      expect([...ids('repeatedByUs'), ...ids('repeatedByN8n'), ...ids('foreign')]).toEqual([]);
    });
  } else {
    it('starts the workflow for every submission except those that n8n lost after it had saved the cursor', () => {
      expect(ids('lostByUs')).toEqual([]);
    });

    it('starts it for none twice', () => {
      expect([...ids('repeatedByUs'), ...ids('foreign')]).toEqual([]);
    });
  }
}

/** The results as a Markdown table. */
function summary({ mode, seed, kills, moments: at, outcomes, executions, failedStarts, seconds }: KillReport): string {
  const count = (field: 'lostByN8n' | 'lostByUs' | 'repeatedByN8n' | 'repeatedByUs') =>
    outcomes.reduce((total, outcome) => total + outcome[field].length, 0);
  const submitted = outcomes.reduce((total, outcome) => total + outcome.submitted, 0);
  const once = outcomes.reduce((total, outcome) => total + outcome.once, 0);
  const interrupted = executions.filter(({ status }) => status !== 'success').length;
  return `
| mode | kills | submissions | executed once | lost by n8n | lost by us | repeated by n8n | repeated by us |
| ${mode} | ${kills} | ${submitted} | ${once} | ${count('lostByN8n')} | ${count('lostByUs')} | ${count('repeatedByN8n')} | ${count('repeatedByUs')} |
seed ${seed}, ${seconds} s; ${outcomes.length} workflows, ${executions.length} executions, ${interrupted} interrupted, ${failedStarts} failed starts
killed: ${Object.entries(at)
    .map(([moment, times]) => `${moment} ${times}`)
    .join(', ')}
`;
}

/** Kills n8n in the middle of its polls, many times, and compares the submissions with the executions at the end. */
async function runKills(mode: Mode, seed: number, kills: number): Promise<KillReport> {
  const started = Date.now();
  const run = new KillRun(mode, await startEnduranceInstance(mode, shortLease), createChance(seed));
  try {
    await run.begin();
    for (let kill = 1; kill <= kills; kill++)
      await (kill <= activationKills ? run.killAfterActivation() : run.killInPoll());
    const { outcomes, executions } = await run.compare();
    return {
      mode,
      seed,
      kills,
      moments: run.moments,
      failedStarts: run.failedStarts,
      outcomes,
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
  private readonly instance: EnduranceInstance;
  private readonly chance: Chance;
  /** Lines in n8n's log when it started last. */
  private logBefore = 0;

  constructor(mode: Mode, instance: EnduranceInstance, chance: Chance) {
    this.mode = mode;
    this.instance = instance;
    this.chance = chance;
  }

  async begin(): Promise<void> {
    for (let number = 1; number <= 2; number++) await this.activateAnother();
  }

  /** Kills n8n when it has just reported that a new workflow is active, with submissions before and after the kill. */
  async killAfterActivation(): Promise<void> {
    const added = await this.activateAnother();
    this.submit(added, this.chance.between(0, 2));
    await sleep(this.chance.between(0, 300));
    await this.kill('just activated');
    this.submit(added, this.chance.between(1, 2));
    await this.start();
    await untilPolled(this.instance.emulator, added.formId);
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
      const reached = this.untilMoment(moment, target);
      open();
      await reached;
    } else {
      await this.start();
      await untilPolled(instance.emulator, target.formId);
      await sleep(chance.between(500, 1_500));
      const reached = this.untilMoment(moment, target);
      this.submitSomewhere(target);
      await reached;
    }
    await this.kill(moment);
  }

  /** Waits until everything is delivered, and compares. */
  async compare(): Promise<{ outcomes: Outcome[]; executions: StoredExecution[] }> {
    const { instance } = this;
    await this.start();
    await Promise.all(this.watched.map(async ({ formId }) => await untilPolled(instance.emulator, formId, 3)));
    await sleep(2_000);
    const found = this.watched.map(({ id, account }) => {
      const executions = instance.database.executions(id);
      return { executions, outcome: account.close(executions) };
    });
    return { outcomes: found.map(({ outcome }) => outcome), executions: found.flatMap(({ executions }) => executions) };
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
    const added = { id: workflow.id, name, formId: form.id, account: new SubmissionAccount(), before: 0 };
    watched.push(added);
    return added;
  }

  private pickWatched(): Watched {
    const [first, ...others] = this.watched;
    if (first === undefined) throw new Error('No workflow is watched');
    return this.chance.pick([first, ...others]);
  }

  /** Adds a few submissions, sometimes more than a page, and perhaps some to another form. */
  private submitSomewhere(target: Watched): void {
    this.submit(target, this.chance.between(1, 6) === 1 ? this.chance.between(101, 230) : this.chance.between(1, 4));
    this.submit(this.pickWatched(), this.chance.between(0, 2));
  }

  private submit({ formId, account }: Watched, count: number): void {
    for (let number = 1; number <= count; number++)
      account.add(this.instance.emulator.workspace.addSubmission(formId).id);
  }

  /** Delays every response until the returned function is called, so that n8n can be killed in its first polls. */
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
      case 'after the response':
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

  /** Waits for the next request for submissions: while it has no response, or a moment after the response. */
  private async untilRequest(formId: string, { isHeld }: { isHeld: boolean }): Promise<void> {
    const arrived = createGate();
    const remove = this.instance.emulator.onRequest(async (request) => {
      if (!readsSubmissions(formId, request)) return;
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
    const lines = instance.n8n.logLines.slice(this.logBefore);
    for (const { id, name, formId, account, before } of this.watched) {
      const state = instance.database.formState(id, formId);
      const createdAt = (submission: string): number =>
        (instance.emulator.workspace.submission(formId, submission)?.micros ?? 0) / 1000;
      account.inspect({
        executions: instance.database.executions(id),
        received: lines.filter((line) => line.includes(receivedLine) && line.includes(`"${name}"`)).length,
        before,
        isSettled: (submission) =>
          state !== undefined && (state.seenIds.has(submission) || createdAt(submission) < state.watermark),
      });
    }
  }

  /** Restarts n8n. */
  private async start(): Promise<void> {
    const { instance } = this;
    this.logBefore = instance.n8n.logLines.length;
    for (const watched of this.watched) watched.before = instance.database.countExecutions(watched.id);
    try {
      await instance.n8n.restart();
    } catch (error) {
      // n8n 2.40 exits while it recovers from a kill if an execution was stored but not started; the next start works.
      if (!instance.n8n.logTail(200).includes("reading 'getTime'")) throw error;
      this.failedStarts++;
      await instance.n8n.restart();
    }
  }
}

/** A promise that is fulfilled from outside. */
function createGate(): { opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
