import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Execution } from '../n8n-runner/execution.ts';
import { countDown } from './countdown.ts';
import { type DemoN8n, startDemoN8n } from './n8n.ts';
import { freshRunFolder } from './runFolder.ts';
import { type Scene, setScene } from './scene.ts';
import { type Service, chooseService } from './service.ts';
import { sentenceNode } from './workflows.ts';

const pollEveryS = 60;
const giveUpAfterS = 240;
const patienceWithPeopleS = 3_600;

const say = (line: string) => console.log(line);
const once = process.argv.includes('--once');
const cleanUp: Array<() => Promise<void>> = [];

async function main(): Promise<void> {
  const service = await chooseService(process.env);
  cleanUp.push(service.close);
  const userFolder = await freshRunFolder();
  const demo = await startDemoN8n(userFolder, say);
  cleanUp.push(async () => {
    await demo.n8n.stop();
    await rm(userFolder, { recursive: true, force: true });
  });

  const scene = await setScene(demo.client, service);
  explain(service, demo, scene);
  const seen = new Set<string>();
  await showFirst(service, demo, scene, seen);
  if (once) return;
  say('\nEverything keeps running; each further submission is shown here. Ctrl-C stops it all.');
  await showAll(demo, scene, seen);
}

function explain(service: Service, { n8n, owner }: DemoN8n, { form, workflow }: Scene): void {
  say(`
n8n is running with the NeetoForm nodes, connected to ${service.name}.

  Editor     ${n8n.url}/workflow/${workflow.id}
  E-mail     ${owner.email}
  Password   ${owner.password}

  1. Open the editor and log in: the workflow "${workflow.name}" is active.
  2. Fill in the form yourself:  ${form.attemptUrl}
  3. Watch the executions:       ${n8n.url}/workflow/${workflow.id}/executions

n8n's log: ${n8n.log.file}
`);
}

async function showFirst({ submit }: Service, demo: DemoN8n, scene: Scene, seen: Set<string>): Promise<void> {
  const look = async () => await nextExecution(demo, scene, seen);
  let found: Execution | undefined;
  if (submit) {
    await submit(scene.form.attemptUrl);
    say(`The demo has just filled in "${scene.form.title}" by itself. n8n asks for new submissions once a minute.`);
    found = await countDown(
      giveUpAfterS,
      (waited) =>
        waited < pollEveryS ? `the next poll comes within ${pollEveryS - waited} s` : `any moment now (${waited} s)`,
      look,
    );
  } else {
    say(`Now fill in the form at ${scene.form.attemptUrl}. n8n asks for new submissions once a minute.`);
    found = await countDown(patienceWithPeopleS, (waited) => `waiting for a submission (${waited} s)`, look);
  }
  if (!found) throw new Error(`No execution came. The end of n8n's log:\n\n${demo.n8n.log.tail()}`);
  show(found, demo, scene);
  if (once && found.error) throw new Error('The execution did not succeed.');
}

async function showAll(demo: DemoN8n, scene: Scene, seen: Set<string>): Promise<never> {
  for (;;) {
    const found = await nextExecution(demo, scene, seen);
    if (found) show(found, demo, scene);
    else await sleep(1_000);
  }
}

async function nextExecution(
  { n8n, client }: DemoN8n,
  { workflow }: Scene,
  seen: Set<string>,
): Promise<Execution | undefined> {
  if (n8n.exitStatus()) throw new Error(`n8n has ended by itself. The end of its log:\n\n${n8n.log.tail()}`);
  const [next] = (await client.listExecutions(workflow.id))
    .filter(({ id, mode }) => mode === 'trigger' && !seen.has(id))
    .reverse();
  if (next === undefined) return undefined;
  seen.add(next.id);
  return await client.waitForExecution(next.id);
}

function show({ id, status, error, itemsOf }: Execution, { n8n }: DemoN8n, { workflow }: Scene): void {
  say(`\nExecution ${id}: ${error ? error.message : status}`);
  for (const { json } of itemsOf(sentenceNode)) say(JSON.stringify(json, null, 2));
  say(`See it in the editor: ${n8n.url}/workflow/${workflow.id}/executions/${id}`);
}

async function end(exitCode: number): Promise<never> {
  for (const close of cleanUp.splice(0).reverse()) await close().catch((error: unknown) => console.error(error));
  process.exit(exitCode);
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
  await end(0);
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : String(error)}`);
  await end(1);
}
