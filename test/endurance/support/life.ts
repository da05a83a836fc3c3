import { setTimeout as sleep } from 'node:timers/promises';

import type { Submission, SubmissionInput } from '../../../emulator/index.ts';
import type { Workflow, WorkflowDraft } from '../../../n8n-runner/client.ts';
import { objectWith, textLike } from '../../e2e/support/matchers.ts';
import { type EnduranceN8n, startEnduranceN8n, startTimeoutMs } from './enduranceN8n.ts';
import type { Mode } from './modes.ts';
import { asksFor, until, untilPolled } from './watch.ts';
import { errorWorkflow, pollingWorkflow, triggerName } from './workflows.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The life of an active workflow, in a real n8n instance: what users and time do to it. */
export function describeLife(mode: Mode): void {
  let instance: EnduranceN8n;
  const watched: Watched[] = [];
  beforeAll(async () => {
    instance = await startEnduranceN8n(mode);
  }, startTimeoutMs);
  afterEach(async () => {
    instance.emulator.reset();
    for (const { workflow } of watched.splice(0)) await instance.client.deactivate(workflow.id);
  });
  afterAll(async () => await instance.stop());

  function addForm(title: string, ...past: SubmissionInput[]): string {
    const { id } = instance.emulator.workspace.addForm({ title });
    for (const submission of past) instance.emulator.workspace.addSubmission(id, submission);
    return id;
  }

  async function activate(
    change: Partial<Parameters<typeof pollingWorkflow>[0]> & { formId: string },
  ): Promise<Watched> {
    const options = { name: 'Endurance', credential: instance.credential, ...change };
    const created = await instance.client.createWorkflow(pollingWorkflow(options));
    const workflow = new Watched(instance, created, options);
    watched.push(workflow);
    await instance.client.activate(created);
    return workflow;
  }

  it('hands out what came while the workflow was deactivated, once it is active again', async () => {
    const workflow = await activate({ formId: addForm('Deactivated', {}, {}) });
    const expected = workflow.submit(2);
    await workflow.untilHandedOut(expected);
    await instance.client.deactivate(workflow.id);
    expected.push(...workflow.submit(3));
    await sleep(6_000);
    expect(workflow.handedOut()).toHaveLength(2);

    await instance.client.activate(workflow.workflow);
    expected.push(...workflow.submit(1));
    await workflow.settle(expected);
  });

  it('goes on where it was when its node is renamed while it is active', async () => {
    const workflow = await activate({ formId: addForm('Renamed', {}) });
    const expected = workflow.submit(2);
    await workflow.untilHandedOut(expected);
    for (const name of ['New answers', triggerName]) {
      expected.push(...workflow.submit(1));
      await workflow.publish({ triggerName: name }, () => expected.push(...workflow.submit(1)));
      expected.push(...workflow.submit(1));
      await workflow.settle(expected);
    }
  });

  it('begins anew when another form is chosen: nothing of its past, everything that comes', async () => {
    const workflow = await activate({ formId: addForm('One form', {}) });
    const expected = workflow.submit(2);
    await workflow.untilHandedOut(expected);
    const other = addForm('Another form', { createdAt: Date.now() - HOUR }, {}, {});
    await workflow.publish({ formId: other });
    expected.push(...workflow.submit(3));
    await workflow.settle(expected);
  });

  it('goes on with the new version when the workflow is edited, saved and published while it is active', async () => {
    const workflow = await activate({ formId: addForm('Edited', {}) });
    const expected = workflow.submit(1);
    for (const nextName of ['Step one', 'Step two', 'Step three']) {
      await workflow.publish({ nextName, options: { lookback: 20 } }, () => expected.push(...workflow.submit(2)));
      expected.push(...workflow.submit(1));
      await untilPolled(instance.emulator, workflow.formId);
    }
    await workflow.settle(expected);
  });

  it('never polls twice at a time, though a poll takes longer than the time to the next', async () => {
    const workflow = await activate({ formId: addForm('Slow', {}) });
    instance.emulator.reset();
    const slow = instance.emulator.fail({
      when: { match: (request) => asksFor(workflow.formId, request), every: 1 },
      with: { delayMs: 7_000 },
    });
    const expected: string[] = [];
    for (let round = 1; round <= 4; round++) {
      expected.push(...workflow.submit(2));
      await untilPolled(instance.emulator, workflow.formId);
    }
    expect(instance.emulator.inFlight.max).toBe(1);
    slow();
    await workflow.settle(expected);
  });

  it('hands out a backlog of 20,000 after a downtime in several polls, each once, and keeps a small state', async () => {
    const now = Date.now();
    const count = 20_000;
    const formId = addForm('Backlog', { createdAt: now - 10 * HOUR });
    const workflow = await activate({ formId, options: { maxSubmissions: 8_000 }, everySeconds: 15 });
    await instance.n8n.stop();
    const from = now - 10 * HOUR + MINUTE;
    instance.emulator.workspace.addHistory(formId, { count, from, everyMs: Math.floor((now - from) / count) });
    const stateSizes: number[] = [];
    const noteState = () => {
      const size = instance.database.stateSize(workflow.id);
      if (size !== stateSizes.at(-1)) stateSizes.push(size);
    };
    await instance.n8n.restart();
    await until('20,000 are handed out', () => {
      noteState();
      return instance.database.countExecutions(workflow.id, true) >= 3;
    });
    await untilPolled(instance.emulator, formId);
    noteState();

    const executions = instance.database.executions(workflow.id);
    const backlog = instance.emulator.workspace
      .submissions(formId)
      .map(({ id }) => id)
      .slice(1);
    expect(backlog).toHaveLength(count);
    expect(executions.flatMap(({ submissions }) => submissions)).toEqual(backlog);
    expect(Math.max(...stateSizes)).toBeLessThan(100_000);
    const sizes = executions.map(({ submissions }) => submissions.length);
    const requests = instance.emulator.requests.filter((request) => asksFor(formId, request)).length;
    process.stdout.write(
      `\n| mode | backlog | polls with items | requests | state, bytes |\n| ${mode} | ${count} | ${sizes.join(' + ')} | ${requests} | ${stateSizes.join(' → ')} |\n`,
    );
  });

  it('shows a poll that fails as a failed execution, starts the error workflow, and recovers', async () => {
    const saved = await instance.client.createWorkflow(errorWorkflow());
    await instance.client.activate(saved);
    const workflow = await activate({ formId: addForm('Failing', {}), settings: { errorWorkflow: saved.id } });
    const retryAfterSeconds = 45;
    const askedAt: number[] = [];
    const forget = instance.emulator.onRequest((request) => {
      if (asksFor(workflow.formId, request)) askedAt.push(Date.now());
    });
    instance.emulator.fail({
      when: { match: (request) => asksFor(workflow.formId, request) },
      with: {
        status: 429,
        body: { error: 'Slow down, please' },
        headers: { 'retry-after': String(retryAfterSeconds) },
      },
    });
    await until('a request has failed', () => askedAt.length > 0);
    const expected = workflow.submit(2);

    await until(
      'the failed execution is there',
      async () => (await instance.client.listExecutions(workflow.id)).length > 0,
    );
    const [failed] = await instance.client.listExecutions(workflow.id);
    expect(failed).toMatchObject({ status: 'error', mode: 'trigger' });
    expect((await instance.client.waitForExecution(failed?.id ?? '')).error).toMatchObject({
      message: 'Slow down, please',
      description: textLike(/Too many requests in a short time/),
    });
    await until('the error workflow has run', async () =>
      (await instance.client.listExecutions(saved.id)).some(({ status }) => status === 'success'),
    );
    const [told] = await instance.client.listExecutions(saved.id);
    const [{ json } = { json: {} }] = (await instance.client.waitForExecution(told?.id ?? '')).itemsOf('Error Trigger');
    expect(json).toMatchObject({
      workflow: { id: workflow.id },
      trigger: { error: objectWith({ message: 'Slow down, please' }) },
    });

    await workflow.untilHandedOut(expected);
    forget();
    const [first = 0, next = 0] = askedAt;
    process.stdout.write(
      `\n${mode}: the next request came ${((next - first) / 1000).toFixed(1)} s after one that was answered 429 with Retry-After ${retryAfterSeconds}\n`,
    );
    if (mode === 'durable') expect(next - first).toBeGreaterThanOrEqual(retryAfterSeconds * 1000);
    await workflow.settle(expected);
    expect((await instance.client.listExecutions(workflow.id)).filter(({ status }) => status === 'error')).toHaveLength(
      1,
    );
  });

  it('does not let a workflow start with a key that the service refuses, and says so', async () => {
    const data = { subdomain: 'acme', apiKey: 'wrong', baseUrl: instance.emulator.url };
    const credential = await instance.client.createCredential({ name: 'Wrong', type: 'neetoFormApi', data });
    await expect(activate({ formId: addForm('Refused'), credential })).rejects.toThrow(
      /Could not authenticate, invalid API Key/,
    );
  });
}

type Options = Parameters<typeof pollingWorkflow>[0];

/** A workflow with what was submitted to its form. */
class Watched {
  workflow: Workflow;
  private readonly instance: EnduranceN8n;
  private options: Options;

  constructor(instance: EnduranceN8n, workflow: Workflow, options: Options) {
    this.instance = instance;
    this.workflow = workflow;
    this.options = options;
  }

  get id(): string {
    return this.workflow.id;
  }

  get formId(): string {
    return this.options.formId;
  }

  /** @returns the ids */
  submit(count: number): string[] {
    return Array.from({ length: count }, () => this.instance.emulator.workspace.addSubmission(this.formId)).map(
      ({ id }: Submission) => id,
    );
  }

  /** Edits the workflow, saves it, and publishes it. */
  async publish(change: Partial<Options>, whenSaved: () => void = () => undefined): Promise<void> {
    this.options = { ...this.options, ...change };
    const { nodes, connections }: WorkflowDraft = pollingWorkflow(this.options);
    this.workflow = await this.instance.client.updateWorkflow(this.id, { nodes, connections });
    whenSaved();
    await this.instance.client.activate(this.workflow);
  }

  /** The submissions of all executions, each as often as it was handed out. */
  handedOut(): string[] {
    return this.instance.database.executions(this.id).flatMap(({ submissions }) => submissions);
  }

  async untilHandedOut(ids: string[]): Promise<void> {
    await until(`${ids.length} submissions are handed out`, () => isAllIn(ids, this.handedOut()));
  }

  /** Waits for all that is expected, and a few polls more for what is not. */
  async settle(expected: string[]): Promise<void> {
    await this.untilHandedOut(expected);
    await untilPolled(this.instance.emulator, this.formId, 2);
    await sleep(1_000);
    expect(this.handedOut().sort()).toEqual([...expected].sort());
  }
}

function isAllIn(ids: string[], found: string[]): boolean {
  const all = new Set(found);
  return ids.every((id) => all.has(id));
}
