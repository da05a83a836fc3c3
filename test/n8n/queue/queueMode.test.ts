import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { type ExecutionSummary, hasEnded } from '../../../n8n-runner/client.ts';
import { TRIGGER, chain, createNode, neetoFormTrigger } from '../../../n8n-runner/workflow.ts';
import { startTimeoutMs, until } from '../e2e/support/instance.ts';
import { byId } from '../e2e/support/workflows.ts';
import { storing } from '../endurance/support/storing.ts';
import { type Cluster, startCluster } from './support/cluster.ts';

const perForm = 100;
const perPoll = 25;
const forms = Array.from({ length: 20 }, (_, index) => ({ title: `Form ${index + 1}` }));

/** How many executions a worker runs at once: when more are running, both workers are busy. */
const perWorker = 2;
/** Makes each execution take so long; a worker that stops has time for it. */
const wait = createNode('Wait', 'n8n-nodes-base.wait', { resume: 'timeInterval', amount: 12, unit: 'seconds' }, 1.1);

describe.each([
  ['with the cursor in the workflow', {}],
  ['with durable cursors', storing.durable],
])('queue mode, %s', (_how, env) => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ forms }, { ...env, N8N_CONCURRENCY_PRODUCTION_LIMIT: String(perWorker) });
  }, startTimeoutMs);
  afterAll(async () => await cluster.stop(), 120_000);

  it('starts one execution for each of 2,000 submissions while one worker restarts and the other is killed, and shows the interrupted executions', async () => {
    const { activate, client, credential, emulator, first, second } = cluster;
    const { workspace } = emulator;
    for (const { id } of workspace.forms) {
      const options = { maxSubmissions: perPoll };
      const trigger = neetoFormTrigger(credential, { formId: byId(id), output: 'simplified', options });
      await activate(chain([trigger, wait]));
    }
    const submitted = workspace.forms.flatMap(({ id }) =>
      Array.from({ length: perForm }, () => workspace.addSubmission(id).id),
    );

    /** @returns what the workers are running */
    const untilBothAreBusy = async () =>
      await until('both workers are busy', async () => {
        const running = (await client.listExecutions()).filter(({ status }) => status === 'running');
        return running.length > perWorker && running;
      });
    const detailsOf = async (executions: ExecutionSummary[]) =>
      await Promise.all(executions.map(async ({ id }) => await client.waitForExecution(id)));
    const runningAtRestart = await untilBothAreBusy();
    await first.restart();
    const statuses = (await detailsOf(runningAtRestart)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set(['success']));
    await untilBothAreBusy();
    await second.kill9();
    await sleep(5_000);
    await second.restart();

    const executions = await until(
      'every execution has ended',
      async () => {
        const listed = await client.listExecutions();
        return listed.length >= submitted.length / perPoll && listed.every(hasEnded) && listed;
      },
      { everyMs: 1_000, withinMs: 600_000 },
    );
    expect(executions).toHaveLength(submitted.length / perPoll);
    const interrupted = await detailsOf(executions.filter(({ status }) => status !== 'success'));
    expect(interrupted.length).toBeGreaterThan(0);
    expect(interrupted.length).toBeLessThanOrEqual(perWorker);
    for (const { error } of interrupted) expect(error?.message).toMatch(/failed to be processed|did not finish/);

    const started = await Promise.all(
      [first, second].map(async ({ logFile }) => (await readFile(logFile, 'utf8')).split('Worker started execution')),
    );
    // Without a share for each worker, nothing would show that two of them do not disturb one another.
    for (const { length } of started) expect(length - 1).toBeGreaterThan(executions.length / 4);

    const completed = await detailsOf(executions.filter(({ status }) => status === 'success'));
    const delivered = completed.flatMap(({ itemsOf }) => itemsOf(TRIGGER)).map(({ json }) => json['id']);
    expect(delivered).toHaveLength(completed.length * perPoll);
    expect(new Set(delivered).size).toBe(delivered.length);
    expect(new Set([...submitted, ...delivered]).size).toBe(submitted.length);
  }, 1_200_000);
});
