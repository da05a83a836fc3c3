import { type Emulator, type WorkspaceSeed, sampleWorkspace, startEmulator } from '../../../../emulator/index.ts';
import {
  type Execution,
  N8nClient,
  type NewCredential,
  type Workflow,
  type WorkflowDraft,
  hasEnded,
} from '../../../../n8n-runner/client.ts';
import { type LaunchOptions, type RunningN8n, launchN8n } from '../../../../n8n-runner/launch.ts';
import { until } from '../../../../n8n-runner/process.ts';
import { START } from '../../../../n8n-runner/workflow.ts';

export { until };

/** An instance with a working credential. */
export type TestInstance = Awaited<ReturnType<typeof startTestInstance>>;

export type Connection = Omit<TestInstance, 'n8n'>;

export const owner = { email: 'owner@example.com', firstName: 'Test', lastName: 'Owner', password: 'Only-4-tests' };

/** The first start installs n8n, which takes minutes. */
export const startTimeoutMs = 900_000;

/** Starts an instance for the tests of a `describe` block, and resets it after each. @returns the instance, inside a test */
export function useTestInstance(options?: InstanceOptions): () => TestInstance {
  return useConnection(async () => await startTestInstance(options));
}

/** The same for an n8n that runs already, with the package, and has no owner yet. */
export function useRunningN8n(url: string): () => Connection {
  return useConnection(async () => await withCredential(await connect({ url, remove: async () => undefined })));
}

function useConnection<T extends Connection>(start: () => Promise<T>): () => T {
  let connection: T;
  beforeAll(async () => {
    connection = await start();
  }, startTimeoutMs);
  afterEach(async () => await connection.reset());
  afterAll(async () => await connection.stop());
  return () => connection;
}

/** Starts an instance with the package and a working credential. */
export async function startTestInstance(options?: InstanceOptions) {
  return await withCredential(await startInstance(options));
}

type InstanceOptions = LaunchOptions & { seed?: WorkspaceSeed };

/** Starts n8n, its owner logged in, and an emulated workspace. */
export async function startInstance({ seed, ...options }: InstanceOptions = {}) {
  return await connect(await launchN8n(options), seed);
}

async function withCredential<T extends Awaited<ReturnType<typeof connect>>>(connection: T) {
  return { ...connection, credential: await connection.client.createCredential(credentialFor(connection.emulator)) };
}

/** Creates the owner of an n8n, and an emulated workspace. */
async function connect<T extends Pick<RunningN8n, 'remove' | 'url'>>(n8n: T, seed = sampleWorkspace(Date.now())) {
  const client = new N8nClient(n8n.url);
  await client.ownerSetup(owner);
  const emulator = await startEmulator({ seed });
  const active: string[] = [];
  return {
    n8n,
    client,
    emulator,
    formId(title: string): string {
      const form = emulator.workspace.forms.find((each) => each.title === title);
      if (!form) throw new Error(`There is no form ${title}`);
      return form.id;
    },
    /** Creates a workflow, and runs it by hand. */
    async run(draft: WorkflowDraft): Promise<Execution> {
      const { id } = await client.createWorkflow(draft);
      return await client.run(id, START);
    },
    /** Creates and publishes a workflow. */
    async activate(draft: WorkflowDraft): Promise<Workflow> {
      const workflow = await client.createWorkflow(draft);
      await client.activate(workflow);
      active.push(workflow.id);
      return workflow;
    },
    /** Waits until those executions of a workflow are complete that have ended and were not started by hand. @returns oldest first */
    executions: async (workflowId: string, areComplete: (ended: Execution[]) => boolean) =>
      await until('the expected executions', async () => {
        const listed = (await client.listExecutions(workflowId)).filter(({ mode }) => mode !== 'manual');
        const ended = listed.filter(hasEnded).reverse();
        const executions = await Promise.all(ended.map(async ({ id }) => await client.waitForExecution(id)));
        return areComplete(executions) && executions;
      }),
    /** Deactivates the workflows that `activate` has published, and resets the emulator. */
    async reset(): Promise<void> {
      emulator.reset();
      for (const id of active.splice(0)) await client.deactivate(id);
    },
    async stop(): Promise<void> {
      await n8n.remove();
      await emulator.close();
    },
  };
}

/** What a user enters to connect to the emulator. */
export function credentialFor(emulator: Emulator, changes: Record<string, string> = {}): NewCredential {
  return {
    name: 'NeetoForm',
    type: 'neetoFormApi',
    data: { subdomain: 'acme', apiKey: emulator.apiKey, baseUrl: emulator.url, ...changes },
  };
}

/** Matches a text by a pattern. */
export function textLike(pattern: RegExp): unknown {
  return expect.stringMatching(pattern);
}
