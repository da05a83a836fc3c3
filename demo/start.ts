/**
 * `npm start`: an n8n with these nodes, connected to an emulator of NeetoForm or to a real workspace, and a workflow that
 * waits for submissions. With `--once` it ends after the first execution.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Execution, N8nClient, type Workflow } from '../n8n-runner/client.ts';
import { ensureN8n } from '../n8n-runner/install.ts';
import { launchN8n, type RunningN8n } from '../n8n-runner/launch.ts';
import { TRIGGER } from '../n8n-runner/workflow.ts';
import { chooseService, type Service } from './service.ts';
import { newSubmissionWorkflow } from './workflow.ts';

const EDITOR_PORT = 5678;
const PROGRESS_EVERY_S = 10;

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

  explain({ service, n8n, owner, workflow });
  await showExecutions({ service, n8n, client, workflow });
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

interface Demo {
  service: Service;
  n8n: RunningN8n;
  workflow: Workflow;
}

function explain({ service, n8n, owner, workflow }: Demo & { owner: { email: string; password: string } }): void {
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

/** Shows each execution that a submission starts: only the first one with `--once`, otherwise until the demo is stopped. */
async function showExecutions({ service, n8n, client, workflow }: Demo & { client: N8nClient }): Promise<void> {
  service.form?.submit();
  const started = service.form ? 'The demo has submitted a form.' : 'Now submit a form of your workspace.';
  say(`${started} n8n checks for new submissions once a minute.`);
  const shown = new Set<string>();
  for (let waitedS = 0; ; waitedS++) {
    if (n8n.hasEnded()) throw new Error(`n8n has ended. The end of its log:\n\n${n8n.logTail()}`);
    const found = (await client.listExecutions(workflow.id))
      .filter(({ id, mode }) => mode === 'trigger' && !shown.has(id))
      .reverse();
    for (const { id } of found) {
      const execution = await client.waitForExecution(id);
      show(execution, `${n8n.url}/workflow/${workflow.id}/executions/${id}`);
      if (isOnce && execution.error) throw new Error('The execution failed.');
      if (isOnce) return;
      if (shown.size === 0) say('\nThe demo keeps running and shows every further execution. Press Ctrl-C to stop it.');
      shown.add(id);
    }
    if (shown.size === 0 && waitedS > 0 && waitedS % PROGRESS_EVERY_S === 0) say(`  waiting (${waitedS} s)`);
    await sleep(1_000);
  }
}

function show({ id, status, error, itemsOf }: Execution, url: string): void {
  say(`\nExecution ${id}: ${error ? error.message : status}`);
  for (const { json } of itemsOf(TRIGGER)) say(JSON.stringify(json, null, 2));
  say(`In the editor: ${url}`);
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
