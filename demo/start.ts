/**
 * `npm start`: an n8n with these nodes, connected to an emulator of NeetoForm or to a real workspace, and a workflow that
 * waits for submissions. With `--once` it ends after the first execution.
 */
import { randomBytes } from 'node:crypto';

import { type Execution, N8nClient, type Owner, type Workflow } from '../n8n-runner/client.ts';
import { ensureN8n } from '../n8n-runner/install.ts';
import { launchN8n, type RunningN8n } from '../n8n-runner/launch.ts';
import { until } from '../n8n-runner/until.ts';
import { TRIGGER } from '../n8n-runner/workflow.ts';
import { chooseService, type Service } from './service.ts';
import { newSubmissionWorkflow } from './workflow.ts';

const EDITOR_PORT = 5678;

const isOnce = process.argv.includes('--once');
const say = (line: string) => console.log(line);
const cleanUp: Array<() => Promise<void>> = [];
const stopping = new AbortController();

async function main(): Promise<void> {
  const service = await chooseService(process.env);
  cleanUp.push(service.close);
  const n8n = await startN8n();
  const client = new N8nClient(n8n.url);
  const owner = {
    email: 'owner@example.com',
    firstName: 'Demo',
    lastName: 'Owner',
    password: `Demo-1-${randomBytes(6).toString('hex')}`,
  };
  await client.ownerSetup(owner);

  const credentialDraft = { name: 'NeetoForm account', type: 'neetoFormApi', data: service.credential };
  const credential = await client.createCredential(credentialDraft);
  const test = await client.testCredential(credential, credentialDraft);
  if (test.status !== 'OK') throw new Error(`The credential does not work with ${service.name}: ${test.message}`);

  const workflow = await client.createWorkflow(newSubmissionWorkflow(credential));
  await client.activate(workflow);
  explain(service, n8n, owner, workflow);

  service.form?.submit();
  const started = service.form ? 'The demo has submitted a form.' : 'Now submit a form of your workspace.';
  say(`${started} n8n checks for new submissions once a minute.`);
  const execution = await firstExecution(n8n, client, workflow);
  say(`\nExecution ${execution.id}: ${execution.error?.message ?? execution.status}`);
  for (const { json } of execution.itemsOf(TRIGGER)) say(JSON.stringify(json, null, 2));
  say(`In the editor: ${n8n.url}/workflow/${workflow.id}/executions/${execution.id}`);
  if (isOnce && execution.error) throw new Error('The execution failed.');
  if (isOnce) return;
  say('\nThe demo keeps running. Press Ctrl-C to stop it.');
  await until('n8n has ended', n8n.hasEnded, { everyMs: 1_000, withinMs: Infinity });
  throw endOf(n8n);
}

/** Installs n8n on first use, and starts one with the packed package in it. */
async function startN8n(): Promise<RunningN8n> {
  const { version } = await ensureN8n();
  say(`Starting n8n ${version}`);
  const env = { GENERIC_TIMEZONE: Intl.DateTimeFormat().resolvedOptions().timeZone };
  const n8n = await launchN8n({ preferredPort: EDITOR_PORT, env });
  cleanUp.push(async () => await n8n.remove());
  if (n8n.port !== EDITOR_PORT) say(`Port ${EDITOR_PORT} is in use, so n8n is on port ${n8n.port}.`);
  return n8n;
}

function explain(service: Service, n8n: RunningN8n, owner: Owner, workflow: Workflow): void {
  const { subdomain, apiKey, baseUrl } = service.credential;
  say(`
n8n is running with the NeetoForm nodes, connected to ${service.name}.

  Editor      ${n8n.url}/workflow/${workflow.id}
  Email       ${owner.email}
  Password    ${owner.password}

  1. Open the editor and log in. The workflow "${workflow.name}" is active.
  2. Submit a form yourself: ${service.form?.attemptUrl ?? 'any active form of your workspace'}
  3. Watch the executions: ${n8n.url}/workflow/${workflow.id}/executions
`);
  if (service.form)
    say(`To create a NeetoForm credential yourself, use these values:

  Subdomain   ${subdomain}
  API Key     ${apiKey}
  Base URL    ${baseUrl}
`);
  say(`n8n's log: ${n8n.logFile}\n`);
}

/** Waits for the first execution that a submission starts, and shows that time passes. */
async function firstExecution(n8n: RunningN8n, client: N8nClient, { id }: Workflow): Promise<Execution> {
  const started = Date.now();
  const progress = setInterval(() => say(`  waiting (${Math.round((Date.now() - started) / 1_000)} s)`), 10_000);
  const find = async () => {
    if (n8n.hasEnded()) throw endOf(n8n);
    return (await client.listExecutions(id)).find(({ mode }) => mode === 'trigger');
  };
  const found = await until('an execution', find, { everyMs: 1_000, withinMs: Infinity });
  clearInterval(progress);
  return await client.waitForExecution(found.id);
}

function endOf(n8n: RunningN8n): Error {
  return new Error(`n8n has ended. The end of its log:\n\n${n8n.logTail()}`);
}

async function end(exitCode: number): Promise<never> {
  for (const close of cleanUp.splice(0).reverse()) await close().catch((error: unknown) => console.error(error));
  process.exit(exitCode);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    stopping.abort();
    say('\nStopping …');
    process.once(signal, () => process.exit(130));
    void end(0);
  });
}

try {
  await main();
  await end(0);
} catch (error) {
  // While the demo stops, requests to an n8n that has ended fail.
  if (!stopping.signal.aborted) {
    console.error(`\n${error instanceof Error ? error.message : String(error)}`);
    await end(1);
  }
}
