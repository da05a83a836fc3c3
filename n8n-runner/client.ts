import { setTimeout as sleep } from 'node:timers/promises';

import type { IConnections, INode, INodeParameters, IWorkflowSettings } from 'n8n-workflow';
import { z } from 'zod';

import { type Execution, readFinishedExecution } from './execution.ts';
import { N8nRequestError, Session } from './session.ts';

export interface Owner {
  email: string;
  firstName: string;
  lastName: string;
  password: string;
}

export interface NewCredential {
  name: string;
  type: string;
  data: Record<string, string>;
}

export interface WorkflowDraft {
  name: string;
  nodes: INode[];
  connections: IConnections;
  settings?: IWorkflowSettings;
}

/** The list to read, as the editor does when a resource locator is opened. */
export interface ListRequest {
  nodeType: string;
  typeVersion?: number;
  /** The list search method of the node. */
  methodName: string;
  credentials: INode['credentials'];
  parameters?: INodeParameters;
  filter?: string;
  paginationToken?: string;
}

const credential = z.object({ id: z.string(), name: z.string() });
const credentialTest = z.object({ status: z.enum(['OK', 'Error']), message: z.string() });
const workflow = z.object({ id: z.string(), name: z.string(), active: z.boolean(), versionId: z.string() });
const publication = z.object({
  status: z.string(),
  triggers: z.array(z.object({ errorMessage: z.string().nullable() })),
});
const executionSummary = z.object({ id: z.string(), status: z.string(), mode: z.string(), workflowId: z.string() });
const executionList = z.object({ results: z.array(executionSummary) });
const listResults = z.object({
  results: z.array(
    z.object({
      name: z.string(),
      value: z.union([z.string(), z.number(), z.boolean()]),
      url: z.string().optional(),
      description: z.string().optional(),
    }),
  ),
  paginationToken: z.string().optional(),
});
const nodeProperty = z.object({
  name: z.string(),
  displayName: z.string(),
  type: z.string(),
  options: z.array(z.object({ value: z.unknown() })).optional(),
  displayOptions: z.object({ show: z.record(z.array(z.unknown())).optional() }).optional(),
});
const nodeType = z.object({ name: z.string(), displayName: z.string(), properties: z.array(nodeProperty) });

export type Credential = z.infer<typeof credential>;
export type CredentialTest = z.infer<typeof credentialTest>;
export type Workflow = z.infer<typeof workflow>;
type Publication = z.infer<typeof publication>;
export type ExecutionSummary = z.infer<typeof executionSummary>;
export type ListResults = z.infer<typeof listResults>;
export type NodeType = z.infer<typeof nodeType>;

const pollEveryMs = 250;

/** A client for n8n's REST API as the editor uses it. Every response is validated. */
export class N8nClient {
  private readonly session: Session;

  constructor(url: string) {
    this.session = new Session(url);
  }

  /** Creates the first user of a new instance, and logs in as that user. */
  async ownerSetup(owner: Owner): Promise<void> {
    await this.session.request('POST', '/owner/setup', owner);
  }

  /** Logs in as an existing user. */
  async login({ email, password }: Pick<Owner, 'email' | 'password'>): Promise<void> {
    await this.session.request('POST', '/login', { emailOrLdapLoginId: email, password });
  }

  async createCredential(draft: NewCredential): Promise<Credential> {
    return credential.parse(await this.session.request('POST', '/credentials', draft));
  }

  /** Tests a saved credential with the given data, as the editor's Retry button does. */
  async testCredential({ id }: Pick<Credential, 'id'>, draft: NewCredential): Promise<CredentialTest> {
    return credentialTest.parse(
      await this.session.request('POST', '/credentials/test', { credentials: { id, ...draft } }),
    );
  }

  async deleteCredential(id: string): Promise<void> {
    await this.session.request('DELETE', `/credentials/${id}`);
  }

  async createWorkflow(draft: WorkflowDraft): Promise<Workflow> {
    return workflow.parse(await this.session.request('POST', '/workflows', { active: false, settings: {}, ...draft }));
  }

  /** Saves a change. An active workflow runs its old version until it is activated again. */
  async updateWorkflow(id: string, change: Partial<WorkflowDraft>): Promise<Workflow> {
    return workflow.parse(await this.session.request('PATCH', `/workflows/${id}`, change));
  }

  /**
   * Publishes the given version and waits until its triggers have started.
   *
   * @throws Error with the messages of the triggers that could not start
   */
  async activate({ id, versionId }: Pick<Workflow, 'id' | 'versionId'>): Promise<Workflow> {
    const activated = workflow.parse(await this.session.request('POST', `/workflows/${id}/activate`, { versionId }));
    const failures = (await this.publishedTriggers(id)).flatMap(({ errorMessage }) => errorMessage ?? []);
    if (failures.length > 0) throw new Error(`The workflow could not be activated: ${failures.join('; ')}`);
    return activated;
  }

  /** Stops the workflow's triggers. */
  async deactivate(id: string): Promise<Workflow> {
    const deactivated = workflow.parse(await this.session.request('POST', `/workflows/${id}/deactivate`, {}));
    await this.publishedTriggers(id);
    return deactivated;
  }

  /** Archives and deletes a workflow and its executions. */
  async deleteWorkflow(id: string): Promise<void> {
    await this.session.request('POST', `/workflows/${id}/archive`, {});
    await this.session.request('DELETE', `/workflows/${id}`);
  }

  /** n8n responds before it has started or stopped the triggers. Versions without this status do both at once. */
  private async publishedTriggers(id: string): Promise<Publication['triggers']> {
    for (;;) {
      try {
        const { status, triggers } = publication.parse(
          await this.session.request('GET', `/workflows/${id}/publication-status`),
        );
        if (status !== 'in_progress') return triggers;
      } catch (error) {
        if (error instanceof N8nRequestError && error.status === 404) return [];
        throw error;
      }
      await sleep(pollEveryMs);
    }
  }

  /** Runs a workflow from the named trigger, as the editor's Execute button does, and waits until it has ended. */
  async run(id: string, triggerName: string, timeoutMs = 60_000): Promise<Execution> {
    // n8n 1 runs the workflow in the request, later versions the saved one.
    const workflowData = await this.session.request('GET', `/workflows/${id}`);
    const response = await this.session.request('POST', `/workflows/${id}/run`, {
      workflowData,
      triggerToStartFrom: { name: triggerName },
    });
    const { executionId } = z.object({ executionId: z.string() }).parse(response);
    return await this.waitForExecution(executionId, timeoutMs);
  }

  async waitForExecution(id: string, timeoutMs = 60_000): Promise<Execution> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const execution = readFinishedExecution(await this.session.request('GET', `/executions/${id}`));
      if (execution) return execution;
      if (Date.now() > deadline) throw new Error(`Execution ${id} has not ended after ${timeoutMs / 1000} seconds`);
      await sleep(pollEveryMs);
    }
  }

  /** The latest executions of a workflow, newest first. */
  async listExecutions(workflowId: string, limit = 100): Promise<ExecutionSummary[]> {
    const filter = encodeURIComponent(JSON.stringify({ workflowId }));
    return executionList.parse(await this.session.request('GET', `/executions?filter=${filter}&limit=${limit}`))
      .results;
  }

  /** Reads the entries of a resource locator's list. */
  async searchList({
    nodeType,
    typeVersion = 1,
    methodName,
    credentials,
    parameters = {},
    filter,
    paginationToken,
  }: ListRequest): Promise<ListResults> {
    const response = await this.session.request('POST', '/dynamic-node-parameters/resource-locator-results', {
      path: 'parameters.list',
      methodName,
      nodeTypeAndVersion: { name: nodeType, version: typeVersion },
      currentNodeParameters: parameters,
      credentials,
      filter,
      paginationToken,
    });
    return listResults.parse(response);
  }

  /** Reads the description of a node type. */
  async nodeType(name: string, version = 1): Promise<NodeType> {
    const response = await this.session.request('POST', '/node-types', { nodeInfos: [{ name, version }] });
    return z.tuple([nodeType]).parse(response)[0];
  }
}
