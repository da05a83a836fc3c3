import { setTimeout as sleep } from 'node:timers/promises';

import type { Submission, SubmissionInput } from '../../../emulator/index.ts';
import type { Workflow, WorkflowDraft } from '../../../n8n-runner/client.ts';
import { startTimeoutMs } from '../../e2e/support/instance.ts';
import { objectWith, textLike } from '../../e2e/support/matchers.ts';
import { type EnduranceInstance, type Mode, startEnduranceInstance } from './modes.ts';
import { readsSubmissions, until, untilPolled } from './watch.ts';
import { errorWorkflow, pollingWorkflow, triggerName } from './workflows.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Defines the tests of what users and time do to an active workflow. */
export function describeLife(mode: Mode): void {
  let instance: EnduranceInstance;
  const watched: Watched[] = [];
  beforeAll(async () => {
    instance = await startEnduranceInstance(mode);
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

  it('delivers the submissions made while the workflow was deactivated, once it is active again', async () => {
    const workflow = await activate({ formId: addForm('Deactivated', {}, {}) });
    const expected = workflow.submit(2);
    await workflow.untilDelivered(expected);
    await instance.client.deactivate(workflow.id);
    expected.push(...workflow.submit(3));
    await sleep(6_000);
    expect(workflow.delivered()).toHaveLength(2);

    await instance.client.activate(workflow.workflow);
    expected.push(...workflow.submit(1));
    await workflow.expectDelivered(expected);
  });

  it('continues after its node was renamed while the workflow is active', async () => {
    const workflow = await activate({ formId: addForm('Renamed', {}) });
    const expected = workflow.submit(2);
    await workflow.untilDelivered(expected);
    for (const name of ['New answers', triggerName]) {
      expected.push(...workflow.submit(1));
      await workflow.publish({ triggerName: name }, () => expected.push(...workflow.submit(1)));
      expected.push(...workflow.submit(1));
      await workflow.expectDelivered(expected);
    }
  });

  it('ignores the earlier submissions of another form that is chosen, and delivers the new ones', async () => {
    const workflow = await activate({ formId: addForm('One form', {}) });
    const expected = workflow.submit(2);
    await workflow.untilDelivered(expected);
    const other = addForm('Another form', { createdAt: Date.now() - HOUR }, {}, {});
    await workflow.publish({ formId: other });
    expected.push(...workflow.submit(3));
    await workflow.expectDelivered(expected);
  });

  it('continues when the workflow is edited, saved and published while it is active', async () => {
    const workflow = await activate({ formId: addForm('Edited', {}) });
    const expected = workflow.submit(1);
    for (const nextName of ['Step one', 'Step two', 'Step three']) {
      await workflow.publish({ nextName, options: { lookback: 20 } }, () => expected.push(...workflow.submit(2)));
      expected.push(...workflow.submit(1));
      await untilPolled(instance.emulator, workflow.formId);
    }
    await workflow.expectDelivered(expected);
  });

  it('never polls twice at a time, though a poll takes longer than the time to the next', async () => {
    const workflow = await activate({ formId: addForm('Slow', {}) });
    instance.emulator.reset();
    const restoreSpeed = instance.emulator.fail({
      when: { match: (request) => readsSubmissions(workflow.formId, request), every: 1 },
      with: { delayMs: 7_000 },
    });
    const expected: string[] = [];
    for (let round = 1; round <= 4; round++) {
      expected.push(...workflow.submit(2));
      await untilPolled(instance.emulator, workflow.formId);
    }
    expect(instance.emulator.inFlight.max).toBe(1);
    restoreSpeed();
    await workflow.expectDelivered(expected);
  });

  it('delivers a backlog of 20,000 submissions in several polls, each once, with a small state', async () => {
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
    await until('20,000 submissions are delivered', () => {
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
    const requests = instance.emulator.requests.filter((request) => readsSubmissions(formId, request)).length;
    process.stdout.write(
      `\n| mode | backlog | polls with items | requests | state, bytes |\n| ${mode} | ${count} | ${sizes.join(' + ')} | ${requests} | ${stateSizes.join(' → ')} |\n`,
    );
  });

  it('shows a failed poll as a failed execution, starts the error workflow, and recovers', async () => {
    const saved = await instance.client.createWorkflow(errorWorkflow());
    await instance.client.activate(saved);
    const workflow = await activate({ formId: addForm('Failing', {}), settings: { errorWorkflow: saved.id } });
    const retryAfterSeconds = 45;
    const requestedAt: number[] = [];
    const removeListener = instance.emulator.onRequest((request) => {
      if (readsSubmissions(workflow.formId, request)) requestedAt.push(Date.now());
    });
    instance.emulator.fail({
      when: { match: (request) => readsSubmissions(workflow.formId, request) },
      with: {
        status: 429,
        body: { error: 'Slow down, please' },
        headers: { 'retry-after': String(retryAfterSeconds) },
      },
    });
    await until('a request has failed', () => requestedAt.length > 0);
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
    const [started] = await instance.client.listExecutions(saved.id);
    const [{ json } = { json: {} }] = (await instance.client.waitForExecution(started?.id ?? '')).itemsOf(
      'Error Trigger',
    );
    expect(json).toMatchObject({
      workflow: { id: workflow.id },
      trigger: { error: objectWith({ message: 'Slow down, please' }) },
    });

    await workflow.untilDelivered(expected);
    removeListener();
    const [first = 0, next = 0] = requestedAt;
    process.stdout.write(
      `\n${mode}: the next request came ${((next - first) / 1000).toFixed(1)} s after one that was answered 429 with Retry-After ${retryAfterSeconds}\n`,
    );
    if (mode === 'durable') expect(next - first).toBeGreaterThanOrEqual(retryAfterSeconds * 1000);
    await workflow.expectDelivered(expected);
    expect((await instance.client.listExecutions(workflow.id)).filter(({ status }) => status === 'error')).toHaveLength(
      1,
    );
  });

  it('refuses to publish a workflow with a wrong API key, and shows the reason', async () => {
    const data = { subdomain: 'acme', apiKey: 'wrong', baseUrl: instance.emulator.url };
    const credential = await instance.client.createCredential({ name: 'Wrong', type: 'neetoFormApi', data });
    await expect(activate({ formId: addForm('Refused'), credential })).rejects.toThrow(
      /Could not authenticate, invalid API Key/,
    );
  });
}

type Options = Parameters<typeof pollingWorkflow>[0];

/** A workflow, and the submissions to its form. */
class Watched {
  workflow: Workflow;
  private readonly instance: EnduranceInstance;
  private options: Options;

  constructor(instance: EnduranceInstance, workflow: Workflow, options: Options) {
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

  /** Edits, saves and publishes the workflow. */
  async publish(change: Partial<Options>, whenSaved: () => void = () => undefined): Promise<void> {
    this.options = { ...this.options, ...change };
    const { nodes, connections }: WorkflowDraft = pollingWorkflow(this.options);
    this.workflow = await this.instance.client.updateWorkflow(this.id, { nodes, connections });
    whenSaved();
    await this.instance.client.activate(this.workflow);
  }

  /** The submissions of all executions, each as often as it was delivered. */
  delivered(): string[] {
    return this.instance.database.executions(this.id).flatMap(({ submissions }) => submissions);
  }

  async untilDelivered(ids: string[]): Promise<void> {
    await until(`${ids.length} submissions are delivered`, () => isAllIn(ids, this.delivered()));
  }

  /** Waits for the expected submissions, and two more polls for unexpected ones. */
  async expectDelivered(expected: string[]): Promise<void> {
    await this.untilDelivered(expected);
    await untilPolled(this.instance.emulator, this.formId, 2);
    await sleep(1_000);
    expect(this.delivered().sort()).toEqual([...expected].sort());
  }
}

function isAllIn(ids: string[], found: string[]): boolean {
  const all = new Set(found);
  return ids.every((id) => all.has(id));
}
