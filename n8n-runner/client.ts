import { parse } from 'flatted';
import type { IConnections, INode, IWorkflowSettings } from 'n8n-workflow';
import { z } from 'zod';

import { until } from './process.ts';

export interface NewCredential {
  name: string;
  type: string;
  data: Record<string, boolean | number | string>;
}

export interface WorkflowDraft {
  name: string;
  nodes: INode[];
  connections: IConnections;
  settings?: IWorkflowSettings;
}

const responseBody = z.object({ data: z.unknown() });
export const owner = z.object({ email: z.string(), firstName: z.string(), lastName: z.string(), password: z.string() });
export const credential = z.object({ id: z.string(), name: z.string() });
const credentialTest = z.object({ status: z.enum(['OK', 'Error']), message: z.string() });
const workflow = z.object({ id: z.string(), name: z.string(), active: z.boolean(), versionId: z.string() });
const publication = z.object({
  status: z.string(),
  triggers: z.array(z.object({ errorMessage: z.string().nullable() })),
});
const executionSummary = z.object({ id: z.string(), status: z.string(), mode: z.string(), workflowId: z.string() });
const problem = z.object({ message: z.string() });
const item = z.object({ json: z.record(z.unknown()) });
const nodeRun = z.object({ data: z.record(z.array(z.array(item).nullable())).optional() });
const executionData = z.object({
  resultData: z.object({ error: problem.optional(), runData: z.record(z.array(nodeRun)) }),
});

export type Owner = z.infer<typeof owner>;
export type Credential = z.infer<typeof credential>;
export type Workflow = z.infer<typeof workflow>;
export type ExecutionSummary = z.infer<typeof executionSummary>;

/** An execution that has ended. */
export interface Execution extends ExecutionSummary {
  error?: z.infer<typeof problem>;
  /** The items that a node returned on its main outputs, in order, over all its runs. */
  itemsOf(nodeName: string): Array<z.infer<typeof item>>;
}

/** A client for n8n's REST API, which it uses as the editor does. Every response is validated. */
export class N8nClient {
  private readonly url: string;
  private cookie = '';

  constructor(url: string) {
    this.url = url;
  }

  /** Creates the first user of a new instance, and logs in as that user. */
  async ownerSetup(owner: Owner): Promise<void> {
    await this.request('POST', '/owner/setup', owner);
  }

  async login({ email, password }: Pick<Owner, 'email' | 'password'>): Promise<void> {
    await this.request('POST', '/login', { emailOrLdapLoginId: email, password });
  }

  async createCredential(draft: NewCredential): Promise<Credential> {
    return credential.parse(await this.request('POST', '/credentials', draft));
  }

  /** Active workflows use the change from their next poll on. */
  async updateCredential({ id }: Pick<Credential, 'id'>, draft: NewCredential): Promise<void> {
    await this.request('PATCH', `/credentials/${id}`, draft);
  }

  /** Tests a saved credential with the given data, as the editor's Retry button does. */
  async testCredential({ id }: Pick<Credential, 'id'>, draft: NewCredential) {
    return credentialTest.parse(await this.request('POST', '/credentials/test', { credentials: { id, ...draft } }));
  }

  async createWorkflow(draft: WorkflowDraft): Promise<Workflow> {
    return workflow.parse(await this.request('POST', '/workflows', { active: false, settings: {}, ...draft }));
  }

  async findWorkflow(id: string): Promise<Workflow | undefined> {
    return workflow.optional().parse(await this.request('GET', `/workflows/${id}`, undefined, [404]));
  }

  /** An active workflow runs its old version until it is activated again. */
  async updateWorkflow(id: string, change: Partial<WorkflowDraft>): Promise<Workflow> {
    return workflow.parse(await this.request('PATCH', `/workflows/${id}`, change));
  }

  /** Publishes a version and waits for its triggers. @throws Error with the messages of those that could not start */
  async activate({ id, versionId }: Pick<Workflow, 'id' | 'versionId'>): Promise<void> {
    await this.request('POST', `/workflows/${id}/activate`, { versionId });
    const failures = (await this.publishedTriggers(id)).flatMap(({ errorMessage }) => errorMessage ?? []);
    if (failures.length > 0) throw new Error(`The workflow could not be activated: ${failures.join('; ')}`);
  }

  async deactivate(id: string): Promise<void> {
    await this.request('POST', `/workflows/${id}/deactivate`, {});
    await this.publishedTriggers(id);
  }

  /** Runs a workflow as the editor's Execute button does, and waits until it has ended. */
  async run(id: string, triggerName: string): Promise<Execution> {
    // n8n 1 runs the workflow that the request contains. Later versions run the saved workflow.
    const workflowData = await this.request('GET', `/workflows/${id}`);
    const triggerToStartFrom = { name: triggerName };
    const started = await this.request('POST', `/workflows/${id}/run`, { workflowData, triggerToStartFrom });
    return await this.waitForExecution(z.object({ executionId: z.string() }).parse(started).executionId);
  }

  async waitForExecution(id: string): Promise<Execution> {
    const find = async () => parseFinishedExecution(await this.request('GET', `/executions/${id}`));
    return await until(`execution ${id} has ended`, find);
  }

  /** The latest 100 executions, newest first. */
  async listExecutions(workflowId?: string): Promise<ExecutionSummary[]> {
    const filter = encodeURIComponent(JSON.stringify({ workflowId }));
    const list = await this.request('GET', `/executions?filter=${filter}&limit=100`);
    const { results } = z.object({ results: z.array(executionSummary) }).parse(list);
    // n8n joins the executions that run and those that have ended. One that ends meanwhile can be among both.
    return [...new Map(results.map((each) => [each.id, each])).values()];
  }

  /** n8n responds before it has started or stopped the triggers. Versions without this status do both at once. */
  private async publishedTriggers(id: string): Promise<z.infer<typeof publication>['triggers']> {
    return await until('the triggers have started or stopped', async () => {
      const found = await this.request('GET', `/workflows/${id}/publication-status`, undefined, [404]);
      if (found === undefined) return [];
      const { status, triggers } = publication.parse(found);
      return status !== 'in_progress' && triggers;
    });
  }

  /** Returns the `data` of the response; undefined for an accepted status. @throws Error when the status is another one that is not 2xx */
  private async request(method: string, path: string, body?: object, accepted: number[] = []): Promise<unknown> {
    const response = await fetch(`${this.url}/rest${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'browser-id': 'n8n-nodes-neetoform', cookie: this.cookie },
      ...(body && { body: JSON.stringify(body) }),
    });
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
    if (cookies.length > 0) this.cookie = cookies.join('; ');
    const text = await response.text();
    if (accepted.includes(response.status)) return undefined;
    if (!response.ok) throw new Error(`${method} ${path} → ${response.status}: ${text}`);
    return responseBody.parse(JSON.parse(text)).data;
  }
}

/** Whether an execution is over. */
export function hasEnded({ status }: Pick<ExecutionSummary, 'status'>): boolean {
  return !['new', 'running', 'waiting'].includes(status);
}

/** Returns undefined while the execution has not ended. */
function parseFinishedExecution(raw: unknown): Execution | undefined {
  const { data, ...record } = executionSummary.extend({ data: z.string() }).parse(raw);
  if (!hasEnded(record)) return undefined;
  const state: unknown = parse(data);
  // n8n 1 sets the status of an execution a moment before it has stored the data.
  if (state === undefined) return undefined;
  const { error, runData } = executionData.parse(state).resultData;
  return {
    ...record,
    ...(error && { error }),
    itemsOf: (nodeName) =>
      (runData[nodeName] ?? []).flatMap((run) => (run.data?.['main'] ?? []).flatMap((output) => output ?? [])),
  };
}
