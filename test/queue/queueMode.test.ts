import { setTimeout as sleep } from 'node:timers/promises';

import type { INode } from 'n8n-workflow';

import { type Emulator, startEmulator } from '../../emulator/index.ts';
import type { Credential, ExecutionSummary, Workflow, WorkflowDraft } from '../../n8n-runner/client.ts';
import { type Cluster, startCluster } from './support/cluster.ts';
import { type Ledger, startLedger } from './support/ledger.ts';

const formCount = 20;
const perForm = 100;
const perPoll = 25;
const executionCount = (formCount * perForm) / perPoll;
const startTimeoutMs = 900_000;
const durable = {
  N8N_SCHEDULER_ENABLED: 'true',
  N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
  N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
};

describe.each([
  ['with the cursor in the workflow', {}],
  ['with durable cursors', durable],
])('queue mode, %s', (_how, env) => {
  let cluster: Cluster;
  let emulator: Emulator;
  let ledger: Ledger;
  beforeAll(async () => {
    emulator = await startEmulator({
      seed: { forms: Array.from({ length: formCount }, (_, index) => ({ title: `Form ${index + 1}` })) },
    });
    ledger = await startLedger(1_500);
    cluster = await startCluster(['first', 'second'], env);
  }, startTimeoutMs);
  afterAll(async () => {
    await cluster.stop();
    await ledger.close();
    await emulator.close();
  }, 120_000);

  it('hands each of 2,000 submissions to one execution, over two workers of which one is killed and the other restarted, and n8n shows what the killed one cut off', async () => {
    const credential = await cluster.client.createCredential({
      name: 'NeetoForm',
      type: 'neetoFormApi',
      data: { subdomain: 'acme', apiKey: emulator.apiKey, baseUrl: emulator.url },
    });
    const workflows: Workflow[] = [];
    for (const { id } of emulator.workspace.forms) {
      const workflow = await cluster.client.createWorkflow(reportingWorkflow(credential, id, ledger.url));
      await cluster.client.activate(workflow);
      workflows.push(workflow);
    }
    const made = emulator.workspace.forms.flatMap(({ id }) =>
      Array.from({ length: perForm }, () => emulator.workspace.addSubmission(id).id),
    );
    expect(made).toHaveLength(2_000);

    const { first, second } = cluster.workers;
    await until(
      () => ledger.entries.length > 300 && ledger.waiting('second') > 0,
      'the second worker is in the middle of an execution',
    );
    await second?.kill9();
    await sleep(5_000);
    await second?.restart();
    await until(
      () => ledger.entries.length > 1_200 && ledger.waiting('first') > 0,
      'the first worker is in the middle of an execution',
    );
    await first?.restart();

    let executions: ExecutionSummary[] = [];
    await until(async () => {
      executions = (await Promise.all(workflows.map(async ({ id }) => await cluster.client.listExecutions(id)))).flat();
      return (
        executions.length >= executionCount &&
        executions.every(({ status }) => !['new', 'running', 'waiting'].includes(status))
      );
    }, 'every execution has ended');
    const cutOff = executions.filter(({ status }) => status !== 'success');
    const reasons = await Promise.all(
      cutOff.map(async ({ id }) => (await cluster.client.waitForExecution(id)).error?.message),
    );
    process.stderr.write(`${JSON.stringify({ ...summary(ledger, executions), reasons })}\n`);

    expect(executions).toHaveLength(executionCount);
    expect(cutOff.length).toBeGreaterThan(0);
    // What a worker runs at once.
    expect(cutOff.length).toBeLessThanOrEqual(10);
    expect(reasons.filter((reason) => !/failed to be processed|did not finish/.test(reason ?? ''))).toEqual([]);

    const isCutOff = new Set(cutOff.map(({ id }) => id));
    const done = ledger.entries.filter(({ execution }) => !isCutOff.has(execution));
    expect(done).toHaveLength((executionCount - cutOff.length) * perPoll);
    const reported = ledger.entries.map(({ submission }) => submission);
    expect(new Set(reported).size).toBe(reported.length);
    expect(new Set([...made, ...reported]).size).toBe(made.length);
    expect(
      new Set(ledger.entries.filter(({ execution }) => isCutOff.has(execution)).map(({ worker }) => worker)),
    ).toEqual(new Set(['second']));
    const share = (worker: string) => done.filter((entry) => entry.worker === worker).length / done.length;
    expect(Math.min(share('first'), share('second'))).toBeGreaterThan(0.15);
  }, 1_200_000);
});

describe('two mains', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster([]);
  }, startTimeoutMs);
  afterAll(async () => await cluster.stop(), 120_000);

  it('are refused by n8n without a licence for them', async () => {
    await expect(cluster.startSecondMain({ N8N_MULTI_MAIN_SETUP_ENABLED: 'true' })).rejects.toThrow(/license/i);
  }, 300_000);
});

function reportingWorkflow({ id, name }: Credential, formId: string, ledgerUrl: string): WorkflowDraft {
  const node = (title: string, type: string, typeVersion: number, parameters: INode['parameters']): INode => ({
    id: title,
    name: title,
    type,
    typeVersion,
    position: [0, 0],
    parameters,
  });
  const trigger = node('New Submission', 'n8n-nodes-neetoform.neetoFormTrigger', 1, {
    pollTimes: { item: [{ mode: 'everyMinute' }] },
    formId: { __rl: true, mode: 'id', value: formId },
    output: 'simplified',
    options: { maxSubmissions: perPoll },
  });
  const report = node('Report', 'n8n-nodes-base.httpRequest', 4.2, {
    url: `=${ledgerUrl}/?submission={{ encodeURIComponent($json.id) }}&execution={{ $execution.id }}&worker={{ $env.WORKER_NAME }}`,
    options: {},
  });
  return {
    name: `Report ${formId}`,
    nodes: [{ ...trigger, credentials: { neetoFormApi: { id, name } } }, report],
    connections: { 'New Submission': { main: [[{ node: 'Report', type: 'main', index: 0 }]] } },
    settings: { executionOrder: 'v1' },
  };
}

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 600_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`After ten minutes it is still not so that ${what}`);
    await sleep(500);
  }
}

function summary({ entries }: Ledger, executions: ExecutionSummary[]): object {
  const count = (values: string[]) =>
    Object.fromEntries([...new Set(values)].map((value) => [value, values.filter((each) => each === value).length]));
  return {
    executions: count(executions.map(({ status }) => status)),
    reports: count(entries.map(({ worker }) => worker)),
  };
}
