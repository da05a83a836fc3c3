import { setTimeout as sleep } from 'node:timers/promises';

import { type Emulator, startEmulator } from '../../emulator/index.ts';
import type { Credential, ExecutionSummary, Workflow, WorkflowDraft } from '../../n8n-runner/client.ts';
import { credentialFor } from '../e2e/support/instance.ts';
import { chain, createNode, triggerWorkflow } from '../e2e/support/workflows.ts';
import { durableCursors } from '../endurance/support/modes.ts';
import { type Cluster, startCluster } from './support/cluster.ts';
import { type ReportServer, startReportServer } from './support/reports.ts';

const formCount = 20;
const perForm = 100;
const perPoll = 25;
const executionCount = (formCount * perForm) / perPoll;
const startTimeoutMs = 900_000;

describe.each([
  ['with the cursor in the workflow', {}],
  ['with durable cursors', durableCursors],
])('queue mode, %s', (_how, env) => {
  let cluster: Cluster;
  let emulator: Emulator;
  let server: ReportServer;
  beforeAll(async () => {
    emulator = await startEmulator({
      seed: { forms: Array.from({ length: formCount }, (_, index) => ({ title: `Form ${index + 1}` })) },
    });
    server = await startReportServer(1_500);
    cluster = await startCluster(['first', 'second'], env);
  }, startTimeoutMs);
  afterAll(async () => {
    await cluster.stop();
    await server.close();
    await emulator.close();
  }, 120_000);

  it('starts one execution for each of 2,000 submissions while one worker is killed and the other restarts, and shows the interrupted executions', async () => {
    const { client, workers } = cluster;
    const credential = await client.createCredential(credentialFor(emulator));
    const workflows: Workflow[] = [];
    for (const { id } of emulator.workspace.forms) {
      const workflow = await client.createWorkflow(reportingWorkflow(credential, id, server.url));
      await client.activate(workflow);
      workflows.push(workflow);
    }
    const submitted = emulator.workspace.forms.flatMap(({ id }) =>
      Array.from({ length: perForm }, () => emulator.workspace.addSubmission(id).id),
    );
    expect(submitted).toHaveLength(2_000);

    await until(
      'the second worker is in the middle of an execution',
      () => server.reports.length > 300 && server.openRequests('second') > 0,
    );
    await workers['second']?.kill9();
    await sleep(5_000);
    await workers['second']?.restart();
    await until(
      'the first worker is in the middle of an execution',
      () => server.reports.length > 1_200 && server.openRequests('first') > 0,
    );
    await workers['first']?.restart();

    let executions: ExecutionSummary[] = [];
    await until('every execution has ended', async () => {
      executions = (await Promise.all(workflows.map(async ({ id }) => await client.listExecutions(id)))).flat();
      const isEnded = ({ status }: ExecutionSummary) => !['new', 'running', 'waiting'].includes(status);
      return executions.length >= executionCount && executions.every(isEnded);
    });
    const interrupted = executions.filter(({ status }) => status !== 'success');
    const reasons = await Promise.all(
      interrupted.map(async ({ id }) => (await client.waitForExecution(id)).error?.message),
    );

    expect(executions).toHaveLength(executionCount);
    expect(interrupted.length).toBeGreaterThan(0);
    // A worker runs ten executions at once.
    expect(interrupted.length).toBeLessThanOrEqual(10);
    expect(reasons.filter((reason) => !/failed to be processed|did not finish/.test(reason ?? ''))).toEqual([]);

    const isInterrupted = new Set(interrupted.map(({ id }) => id));
    const completed = server.reports.filter(({ execution }) => !isInterrupted.has(execution));
    expect(completed).toHaveLength((executionCount - interrupted.length) * perPoll);
    const reported = server.reports.map(({ submission }) => submission);
    expect(new Set(reported).size).toBe(reported.length);
    expect(new Set([...submitted, ...reported]).size).toBe(submitted.length);
    expect(
      new Set(server.reports.filter(({ execution }) => isInterrupted.has(execution)).map(({ worker }) => worker)),
    ).toEqual(new Set(['second']));
    const share = (name: string) => completed.filter(({ worker }) => worker === name).length / completed.length;
    expect(Math.min(share('first'), share('second'))).toBeGreaterThan(0.15);
  }, 1_200_000);
});

describe('a second main instance', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster([]);
  }, startTimeoutMs);
  afterAll(async () => await cluster.stop(), 120_000);

  it('is refused by n8n without a license', async () => {
    await expect(cluster.startSecondMain({ N8N_MULTI_MAIN_SETUP_ENABLED: 'true' })).rejects.toThrow(/license/i);
  }, 300_000);
});

/** A workflow that reports each new submission, and which worker ran it. */
function reportingWorkflow(credential: Credential, formId: string, serverUrl: string): WorkflowDraft {
  const [trigger] = triggerWorkflow(credential, formId, { options: { maxSubmissions: perPoll } }).nodes;
  const report = createNode(
    'Report',
    'n8n-nodes-base.httpRequest',
    {
      url: `=${serverUrl}/?submission={{ encodeURIComponent($json.id) }}&execution={{ $execution.id }}&worker={{ $env.WORKER_NAME }}`,
      options: {},
    },
    4.2,
  );
  if (trigger === undefined) throw new Error('The workflow has no trigger');
  return { ...chain([trigger, report]), name: `Report ${formId}`, settings: { executionOrder: 'v1' } };
}

async function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 600_000;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`Not after ten minutes: ${what}`);
    await sleep(500);
  }
}
