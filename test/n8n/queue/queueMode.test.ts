import { setTimeout as sleep } from 'node:timers/promises';

import { type FastifyInstance, fastify } from 'fastify';

import { type Emulator, startEmulator } from '../../../emulator/index.ts';
import {
  type Credential,
  type ExecutionSummary,
  type Workflow,
  type WorkflowDraft,
  hasEnded,
} from '../../../n8n-runner/client.ts';
import { chain, createNode, neetoFormTrigger } from '../../../n8n-runner/workflow.ts';
import { credentialFor, startTimeoutMs, until } from '../e2e/support/instance.ts';
import { byId } from '../e2e/support/workflows.ts';
import { storing } from '../endurance/support/storing.ts';
import { type Cluster, startCluster } from './support/cluster.ts';

const formCount = 20;
const perForm = 100;
const perPoll = 25;
const executionCount = (formCount * perForm) / perPoll;
/** A response takes this long, so that an execution takes time. */
const responseMs = 1_500;
const patient = { withinMs: 600_000 };

/** What a workflow did with a submission. */
interface Report {
  submission: string;
  execution: string;
  worker: string;
}

describe.each([
  ['with the cursor in the workflow', {}],
  ['with durable cursors', storing.durable],
])('queue mode, %s', (_how, env) => {
  let cluster: Cluster;
  let emulator: Emulator;
  /** The server to which the workflows report each submission. */
  let server: FastifyInstance;
  let serverUrl: string;
  const reports: Report[] = [];
  /** The worker of each open request: it is in the middle of an execution. */
  const open: string[] = [];
  beforeAll(async () => {
    const forms = Array.from({ length: formCount }, (_, index) => ({ title: `Form ${index + 1}` }));
    emulator = await startEmulator({ seed: { forms } });
    server = fastify({ forceCloseConnections: true });
    server.get<{ Querystring: Report }>('/', async ({ query }) => {
      reports.push({ ...query });
      open.push(query.worker);
      await sleep(responseMs);
      open.splice(open.indexOf(query.worker), 1);
      return {};
    });
    serverUrl = await server.listen({ host: '127.0.0.1', port: 0 });
    cluster = await startCluster(env);
  }, startTimeoutMs);
  afterAll(async () => {
    await cluster.stop();
    await server.close();
    await emulator.close();
  }, 120_000);

  it('starts one execution for each of 2,000 submissions while one worker is killed and the other restarts, and shows the interrupted executions', async () => {
    const { client, first, second } = cluster;
    const credential = await client.createCredential(credentialFor(emulator));
    const workflows: Workflow[] = [];
    for (const { id } of emulator.workspace.forms) {
      const workflow = await client.createWorkflow(reportingWorkflow(credential, id, serverUrl));
      await client.activate(workflow);
      workflows.push(workflow);
    }
    const submitted = emulator.workspace.forms.flatMap(({ id }) =>
      Array.from({ length: perForm }, () => emulator.workspace.addSubmission(id).id),
    );
    expect(submitted).toHaveLength(2_000);

    const isBusy = (worker: string, after: number) => () => reports.length > after && open.includes(worker);
    await until('the second worker is in the middle of an execution', isBusy('second', 300), patient);
    await second.kill9();
    await sleep(5_000);
    await second.restart();
    await until('the first worker is in the middle of an execution', isBusy('first', 1_200), patient);
    await first.restart();

    let executions: ExecutionSummary[] = [];
    const allHaveEnded = async () => {
      executions = (await Promise.all(workflows.map(async ({ id }) => await client.listExecutions(id)))).flat();
      return executions.length >= executionCount && executions.every(hasEnded);
    };
    await until('every execution has ended', allHaveEnded, patient);
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
    const completed = reports.filter(({ execution }) => !isInterrupted.has(execution));
    expect(completed).toHaveLength((executionCount - interrupted.length) * perPoll);
    const reported = reports.map(({ submission }) => submission);
    expect(new Set(reported).size).toBe(reported.length);
    expect(new Set([...submitted, ...reported]).size).toBe(submitted.length);
    const partly = reports.filter(({ execution }) => isInterrupted.has(execution));
    expect(new Set(partly.map(({ worker }) => worker))).toEqual(new Set(['second']));
    const share = (name: string) => completed.filter(({ worker }) => worker === name).length / completed.length;
    expect(Math.min(share('first'), share('second'))).toBeGreaterThan(0.15);
  }, 1_200_000);
});

/** A workflow that reports each new submission, and which worker ran it. */
function reportingWorkflow(credential: Credential, formId: string, serverUrl: string): WorkflowDraft {
  const options = { maxSubmissions: perPoll };
  const trigger = neetoFormTrigger(credential, { formId: byId(formId), output: 'simplified', options });
  const query =
    'submission={{ encodeURIComponent($json.id) }}&execution={{ $execution.id }}&worker={{ $env.WORKER_NAME }}';
  const report = createNode('Next', 'n8n-nodes-base.httpRequest', { url: `=${serverUrl}/?${query}`, options: {} }, 4.2);
  return { ...chain([trigger, report], `Report ${formId}`), settings: { executionOrder: 'v1' } };
}
