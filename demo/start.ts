/** `npm start`: an n8n with these nodes, and a workflow that waits for submissions. With `--fresh` it deletes what it has kept. */
import { join } from 'node:path';

import { N8nClient, type Workflow } from '../n8n-runner/client.ts';
import { ensureN8n } from '../n8n-runner/install.ts';
import { launchN8n, type RunningN8n } from '../n8n-runner/launch.ts';
import { until } from '../n8n-runner/process.ts';
import { TRIGGER } from '../n8n-runner/workflow.ts';
import { type DemoFolder, openFolder } from './folder.ts';
import { chooseService, type Service } from './service.ts';
import { newSubmissionWorkflow } from './workflow.ts';

const EDITOR_PORT = 5678;

const say = (line: string) => console.log(line);
const cleanUp: Array<() => void | Promise<void>> = [];

async function main(): Promise<never> {
  const folder = openFolder(process.env, process.argv.includes('--fresh'));
  cleanUp.push(folder.close);
  const service = await chooseService(process.env, folder.path);
  cleanUp.push(service.close);
  const n8n = await startN8n(join(folder.path, 'n8n'));
  const client = new N8nClient(n8n.url);
  const done = await setUp(client, service, folder);
  explain(service, folder.path, n8n, done);
  const { workflow } = done;
  if (workflow?.active) await showExecution(service, n8n, client, workflow);
  else say('The workflow of the demo is not published, so no submission starts it.');
  say('\nThe demo keeps running. Press Ctrl-C to stop it.');
  await until('n8n has ended', n8n.hasEnded, { everyMs: 1_000, withinMs: Infinity });
  throw endOf(n8n);
}

async function startN8n(userFolder: string): Promise<RunningN8n> {
  const { version } = await ensureN8n();
  say(`Starting n8n ${version}`);
  const env = { GENERIC_TIMEZONE: Intl.DateTimeFormat().resolvedOptions().timeZone };
  const n8n = await launchN8n({ preferredPort: EDITOR_PORT, env, userFolder });
  cleanUp.push(async () => await n8n.stop());
  if (n8n.port !== EDITOR_PORT) say(`Port ${EDITOR_PORT} is in use, so n8n is on port ${n8n.port}.`);
  return n8n;
}

/** The first start creates the owner, the credential and the workflow. A later one logs in, and updates the credential. */
async function setUp(client: N8nClient, service: Service, folder: DemoFolder) {
  const { owner, credential: earlier, workflowId } = folder.read();
  await client.login(owner).catch(async () => await client.ownerSetup(owner));
  const draft = { name: 'NeetoForm account', type: 'neetoFormApi', data: service.credential };
  if (earlier && workflowId !== undefined) {
    await client
      .updateCredential(earlier, draft)
      .catch((error: unknown) => say(`The credential stays: ${String(error)}`));
    return { owner, workflow: await client.findWorkflow(workflowId) };
  }
  const credential = await client.createCredential(draft);
  const test = await client.testCredential(credential, draft);
  if (test.status !== 'OK') throw new Error(`The credential does not work with ${service.name}: ${test.message}`);
  const workflow = await client.createWorkflow(newSubmissionWorkflow(credential));
  await client.activate(workflow);
  folder.save({ owner, credential, workflowId: workflow.id });
  return { owner, workflow: { ...workflow, active: true } };
}

type SetUp = Awaited<ReturnType<typeof setUp>>;

async function showExecution(service: Service, n8n: RunningN8n, client: N8nClient, workflow: Workflow): Promise<void> {
  const earlier = new Set((await client.listExecutions(workflow.id)).map(({ id }) => id));
  service.form?.submit();
  const started = service.form ? 'The demo has submitted a form.' : 'Now submit a form of your workspace.';
  say(`${started} n8n checks for new submissions once a minute.`);
  const find = async () => {
    if (n8n.hasEnded()) throw endOf(n8n);
    return (await client.listExecutions(workflow.id)).find(({ id, mode }) => mode === 'trigger' && !earlier.has(id));
  };
  const { id } = await until('an execution', find, { everyMs: 1_000, withinMs: Infinity });
  const execution = await client.waitForExecution(id);
  say(`\nExecution ${id}: ${execution.error?.message ?? execution.status}`);
  for (const { json } of execution.itemsOf(TRIGGER)) say(JSON.stringify(json, null, 2));
  say(`In the editor: ${n8n.url}/workflow/${workflow.id}/executions/${id}`);
}

function explain(service: Service, folder: string, n8n: RunningN8n, { owner, workflow }: SetUp): void {
  const { subdomain, apiKey, baseUrl } = service.credential;
  const page = workflow ? `${n8n.url}/workflow/${workflow.id}` : n8n.url;
  say(`
n8n is running with the NeetoForm nodes, connected to ${service.name}.

  Editor      ${page}
  Email       ${owner.email}
  Password    ${owner.password}
`);
  if (workflow?.active)
    say(`  1. Open the editor and log in. The workflow "${workflow.name}" is published.
  2. Submit a form yourself: ${service.form?.attemptUrl ?? 'any active form of your workspace'}
  3. Watch the executions: ${page}/executions
`);
  if (service.form)
    say(`To create a NeetoForm credential yourself, use these values:

  Subdomain   ${subdomain}
  API Key     ${apiKey}
  Base URL    ${baseUrl}
`);
  say(`The next start continues with this login, your workflows and your tables, which are kept in
${folder}. To begin anew: npm start -- --fresh
n8n's log: ${n8n.logFile}
`);
}

function endOf(n8n: RunningN8n): Error {
  return new Error(`n8n has ended. Its log: ${n8n.logFile}`);
}

async function end(exitCode: number): Promise<never> {
  process.exitCode = exitCode;
  for (const close of cleanUp.splice(0).reverse())
    await Promise.resolve(close()).catch((error: unknown) => console.error(error));
  process.exit();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    say('\nStopping …');
    process.once(signal, () => process.exit(130));
    void end(0);
  });
}

try {
  await main();
} catch (error) {
  // While the demo stops, requests to an n8n that has ended fail.
  if (process.exitCode === undefined) {
    console.error(`\n${error instanceof Error ? error.message : String(error)}`);
    await end(1);
  }
}
