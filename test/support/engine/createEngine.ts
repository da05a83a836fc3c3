import 'reflect-metadata';

import { ExecuteContext, LoadOptionsContext, RoutingNode } from 'n8n-core';
import { UnexpectedError, Workflow, createEmptyRunExecutionData } from 'n8n-workflow';
import type {
  ICredentialDataDecryptedObject,
  ICredentialType,
  IDataObject,
  IExecuteData,
  INode,
  INodeCredentialTestResult,
  INodeExecutionData,
  INodeListSearchResult,
  INodeParameters,
  INodePropertyOptions,
  INodeType,
  ITaskDataConnections,
  WorkflowExecuteMode,
} from 'n8n-workflow';

import { additionalDataWith } from './additionalData';
import { CredentialsInMemory } from './credentials';
import { testCredentialLikeN8n } from './credentialTest';
import { record } from './log';
import { newestVersion, onlyType, registered } from './nodeTypes';
import { PollingWorkflow, type Poller } from './pollingWorkflow';

/** The id of the only credential. */
const CREDENTIAL_ID = '1';

/** The data of the credential, of whichever type the node asks for. Without it the node has no credential set. */
interface WithCredentials {
  credentials?: ICredentialDataDecryptedObject;
}

export interface RunOptions extends WithCredentials {
  /** As a saved workflow holds them: what is left out gets the default of the description. */
  parameters: INodeParameters;
  /** Default: one item with empty json. */
  items?: INodeExecutionData[] | IDataObject[];
  continueOnFail?: boolean;
  timezone?: string;
  signal?: AbortSignal;
  typeVersion?: number;
  mode?: WorkflowExecuteMode;
}

/** How n8n polls. */
interface PollingOptions {
  mode?: WorkflowExecuteMode;
  staticData?: IDataObject;
  workflowId?: string;
  timezone?: string;
  /** What `getPollBudgetMs()` returns; n8n says five minutes unless its durable scheduler runs. */
  pollBudgetMs?: number;
  /** Where n8n keeps the state between polls. Default: `memory`, n8n's default. */
  scheduler?: 'memory' | 'durable';
}

/** A workflow with one trigger. */
export interface PollerOptions extends WithCredentials, PollingOptions {
  parameters: INodeParameters;
  nodeId?: string;
  nodeName?: string;
  onError?: INode['onError'];
}

/** A trigger of a workflow. */
export interface TriggerOptions {
  id: string;
  name: string;
  parameters: INodeParameters;
  /** Default: the first of the workflow. */
  credentialId?: string;
  onError?: INode['onError'];
}

/** A workflow with any number of triggers of one type. */
export interface PollingWorkflowOptions extends PollingOptions {
  triggers: TriggerOptions[];
  /** The data of credentials, by their id. */
  credentials: Record<string, ICredentialDataDecryptedObject>;
}

export interface ListSearchOptions extends WithCredentials {
  filter?: string;
  paginationToken?: string;
  parameters?: INodeParameters;
  /** The parameter the list belongs to. */
  path?: string;
}

export interface Engine {
  runNode(nodeType: INodeType, options: RunOptions): Promise<INodeExecutionData[]>;
  createPoller(nodeType: INodeType, options: PollerOptions): Poller;
  createPollingWorkflow(nodeType: INodeType, options: PollingWorkflowOptions): PollingWorkflow;
  listSearch(nodeType: INodeType, method: string, options: ListSearchOptions): Promise<INodeListSearchResult>;
  loadOptions(nodeType: INodeType, method: string, options: ListSearchOptions): Promise<INodePropertyOptions[]>;
  testCredential(
    credentialType: ICredentialType,
    data: ICredentialDataDecryptedObject,
  ): Promise<INodeCredentialTestResult>;
}

/** n8n's own engine in this process: real contexts, real declarative routing, real HTTP. Only the database behind it is memory. */
export function createEngine(credentialTypes: ICredentialType[]): Engine {
  const helperWith = (data: ICredentialDataDecryptedObject | undefined) =>
    new CredentialsInMemory(credentialTypes, data === undefined ? {} : { [CREDENTIAL_ID]: data });

  const loadContext = (nodeType: INodeType, options: ListSearchOptions) => {
    const type = registered(nodeType);
    const node = nodeOf(type, {
      name: 'Temp-Node',
      parameters: options.parameters ?? {},
      credentialId: options.credentials && CREDENTIAL_ID,
    });
    const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes: onlyType(type) });
    const additionalData = additionalDataWith(helperWith(options.credentials), {
      currentNodeParameters: options.parameters ?? {},
    });
    const context = new LoadOptionsContext(workflow, node, additionalData, options.path ?? '');
    record(context.logger);
    return { context, workflow };
  };

  const createPollingWorkflow: Engine['createPollingWorkflow'] = (nodeType, { triggers, credentials, ...options }) => {
    const type = registered(nodeType);
    const helper = new CredentialsInMemory(credentialTypes, credentials);
    const workflowId = options.workflowId ?? 'workflow-under-test';
    const [firstCredential] = Object.keys(credentials);
    return new PollingWorkflow({
      nodeType: type,
      nodes: triggers.map(({ credentialId = firstCredential, ...trigger }) =>
        nodeOf(type, { ...trigger, credentialId }),
      ),
      additionalData: () => additionalDataWith(helper, { workflowId }),
      workflowId,
      timezone: options.timezone ?? 'UTC',
      staticData: options.staticData ?? {},
      mode: options.mode ?? 'trigger',
      scheduler: options.scheduler ?? 'memory',
      pollBudgetMs: options.pollBudgetMs,
    });
  };

  return {
    async runNode(nodeType, options) {
      const type = registered(nodeType);
      const node = nodeOf(type, {
        parameters: options.parameters,
        typeVersion: options.typeVersion,
        credentialId: options.credentials && CREDENTIAL_ID,
        onError: options.continueOnFail === true ? 'continueRegularOutput' : undefined,
      });
      const workflow = new Workflow({
        id: 'workflow-under-test',
        name: 'Workflow under test',
        nodes: [node],
        connections: {},
        active: false,
        nodeTypes: onlyType(type),
        settings: { timezone: options.timezone ?? 'UTC' },
      });
      const items = (options.items ?? [{}]).map(asItem);
      const inputData: ITaskDataConnections = { main: [items] };
      const executeData: IExecuteData = { node, data: inputData, source: null };
      const context = new ExecuteContext(
        workflow,
        node,
        additionalDataWith(helperWith(options.credentials), { workflowId: workflow.id }),
        options.mode ?? 'trigger',
        createEmptyRunExecutionData(),
        0,
        items,
        inputData,
        executeData,
        [],
        options.signal,
      );
      record(context.logger);
      const output = await workflow.expression.withIsolate(async () => {
        const { execute } = type;
        return execute === undefined ? await new RoutingNode(context, type).runNode() : await execute.call(context);
      });
      if (!Array.isArray(output)) throw new UnexpectedError('The node under test asked the engine to run other nodes');
      return output[0] ?? [];
    },

    createPoller(nodeType, { parameters, credentials, nodeId, nodeName, onError, ...options }) {
      const id = nodeId ?? 'node-under-test';
      const name = nodeName ?? nodeType.description.displayName;
      return createPollingWorkflow(nodeType, {
        ...options,
        triggers: [{ id, name, parameters, onError }],
        credentials: credentials === undefined ? {} : { [CREDENTIAL_ID]: credentials },
      }).trigger(id);
    },

    createPollingWorkflow,

    async listSearch(nodeType, method, options) {
      const search = nodeType.methods?.listSearch?.[method];
      if (search === undefined) throw new UnexpectedError(`The node has no list search "${method}"`);
      const { context, workflow } = loadContext(nodeType, options);
      return await workflow.expression.withIsolate(async () => {
        const result = await search.call(context, options.filter, options.paginationToken);
        const token: unknown = result.paginationToken;
        return typeof token === 'number' ? { ...result, paginationToken: String(token) } : result;
      });
    },

    async loadOptions(nodeType, method, options) {
      const load = nodeType.methods?.loadOptions?.[method];
      if (load === undefined) throw new UnexpectedError(`The node has no load options method "${method}"`);
      const { context, workflow } = loadContext(nodeType, options);
      return await workflow.expression.withIsolate(async () => await load.call(context));
    },

    testCredential: testCredentialLikeN8n,
  };
}

function credentialNameOf(nodeType: INodeType): string {
  const name = nodeType.description.credentials?.[0]?.name;
  if (name === undefined) throw new UnexpectedError('Credentials were given for a node that asks for none');
  return name;
}

interface NodeSettings {
  parameters: INodeParameters;
  id?: string;
  name?: string;
  typeVersion?: number;
  credentialId?: string;
  onError?: INode['onError'];
}

function nodeOf(type: INodeType, settings: NodeSettings): INode {
  const { credentialId, onError } = settings;
  return {
    id: settings.id ?? 'node-under-test',
    name: settings.name ?? type.description.displayName,
    type: type.description.name,
    typeVersion: settings.typeVersion ?? newestVersion(type),
    position: [0, 0],
    parameters: structuredClone(settings.parameters),
    ...(credentialId !== undefined && {
      credentials: { [credentialNameOf(type)]: { id: credentialId, name: 'Credential under test' } },
    }),
    ...(onError !== undefined && { onError }),
  };
}

function asItem(item: INodeExecutionData | IDataObject): INodeExecutionData {
  return isItem(item) ? item : { json: item };
}

function isItem(item: INodeExecutionData | IDataObject): item is INodeExecutionData {
  return typeof item.json === 'object' && item.json !== null && !Array.isArray(item.json);
}
