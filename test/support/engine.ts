import 'reflect-metadata';

import { DirectoryLoader, ExecuteContext, LoadOptionsContext, RoutingNode } from 'n8n-core';
import { UnexpectedError, Workflow, createEmptyRunExecutionData } from 'n8n-workflow';
import type {
  ICredentialDataDecryptedObject,
  IDataObject,
  IExecuteData,
  INode,
  INodeExecutionData,
  INodeListSearchResult,
  INodeParameters,
  INodePropertyOptions,
  INodeType,
  ITaskDataConnections,
} from 'n8n-workflow';

import { NeetoFormApi } from '../../credentials/NeetoFormApi.credentials';
import { additionalDataWith } from './engine/additionalData';
import { CredentialsInMemory } from './engine/credentials';
import { record } from './engine/log';
import { onlyType } from './engine/nodeTypes';
import { PollingWorkflow, type Poller } from './engine/pollingWorkflow';

export { testCredential } from './engine/credentialTest';
export { clearLog, deepText, loggedText } from './engine/log';
export type { Poller, PollingWorkflow, PollOverrides, PollResult } from './engine/pollingWorkflow';

// n8n's own engine in this process: real contexts, real declarative routing, real HTTP. Only the database behind it is memory.

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
}

/** How n8n polls. */
interface PollingOptions {
  staticData?: IDataObject;
  workflowId?: string;
  /** What `getPollBudgetMs()` returns; n8n says five minutes unless its durable scheduler runs. */
  pollBudgetMs?: number;
  /** Where n8n keeps the state between polls. Default: `memory`, n8n's default. */
  scheduler?: 'memory' | 'durable';
}

/** A workflow with one trigger. */
export interface PollerOptions extends WithCredentials, PollingOptions {
  parameters: INodeParameters;
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

function helperWith(data: ICredentialDataDecryptedObject | undefined): CredentialsInMemory {
  return new CredentialsInMemory([new NeetoFormApi()], data === undefined ? {} : { [CREDENTIAL_ID]: data });
}

/**
 * Runs a node as n8n does in an execution: a declarative node by its routing, any other by its own function.
 * @returns the items of its first output
 */
export async function runNode(nodeType: INodeType, options: RunOptions): Promise<INodeExecutionData[]> {
  const type = registered(nodeType);
  const node = nodeOf(type, {
    parameters: options.parameters,
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
    'trigger',
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
  if (!Array.isArray(output)) throw new UnexpectedError('The node under test wants other nodes to run');
  return output[0] ?? [];
}

/** A trigger, alone in its workflow. */
export function createPoller(nodeType: INodeType, { parameters, credentials, ...options }: PollerOptions): Poller {
  const [id, name] = ['node-under-test', nodeType.description.displayName];
  return createPollingWorkflow(nodeType, {
    ...options,
    triggers: [{ id, name, parameters, onError: options.onError }],
    credentials: credentials === undefined ? {} : { [CREDENTIAL_ID]: credentials },
  }).trigger(id);
}

/** A workflow whose triggers are polled one by one. */
export function createPollingWorkflow(
  nodeType: INodeType,
  { triggers, credentials, ...options }: PollingWorkflowOptions,
): PollingWorkflow {
  const type = registered(nodeType);
  const helper = new CredentialsInMemory([new NeetoFormApi()], credentials);
  const workflowId = options.workflowId ?? 'workflow-under-test';
  const [firstCredential] = Object.keys(credentials);
  return new PollingWorkflow({
    nodeType: type,
    nodes: triggers.map(({ credentialId = firstCredential, ...trigger }) => nodeOf(type, { ...trigger, credentialId })),
    additionalData: () => additionalDataWith(helper, { workflowId }),
    workflowId,
    staticData: options.staticData ?? {},
    scheduler: options.scheduler ?? 'memory',
    pollBudgetMs: options.pollBudgetMs,
  });
}

/** What the editor shows when a resource locator's list is opened. */
export async function listSearch(
  nodeType: INodeType,
  method: string,
  options: ListSearchOptions,
): Promise<INodeListSearchResult> {
  const search = nodeType.methods?.listSearch?.[method];
  if (search === undefined) throw new UnexpectedError(`The node has no list search "${method}"`);
  const { context, workflow } = loadContext(nodeType, options);
  return await workflow.expression.withIsolate(async () => {
    const result = await search.call(context, options.filter, options.paginationToken);
    const token: unknown = result.paginationToken;
    return typeof token === 'number' ? { ...result, paginationToken: String(token) } : result;
  });
}

/** What the editor offers in a field whose options are loaded. */
export async function loadOptions(
  nodeType: INodeType,
  method: string,
  options: ListSearchOptions,
): Promise<INodePropertyOptions[]> {
  const load = nodeType.methods?.loadOptions?.[method];
  if (load === undefined) throw new UnexpectedError(`The node has no load options method "${method}"`);
  const { context, workflow } = loadContext(nodeType, options);
  return await workflow.expression.withIsolate(async () => await load.call(context));
}

function loadContext(nodeType: INodeType, { credentials, parameters = {}, path = '' }: ListSearchOptions) {
  const type = registered(nodeType);
  const node = nodeOf(type, { name: 'Temp-Node', parameters, credentialId: credentials && CREDENTIAL_ID });
  const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes: onlyType(type) });
  const additionalData = additionalDataWith(helperWith(credentials), { currentNodeParameters: parameters });
  const context = new LoadOptionsContext(workflow, node, additionalData, path);
  record(context.logger);
  return { context, workflow };
}

/** The type as n8n's loader registers it: declarative nodes get `requestOptions`. The original stays untouched. */
function registered(nodeType: INodeType): INodeType {
  const { description, methods, poll, execute } = nodeType;
  const copy = { description: { ...description, properties: [...description.properties] }, methods, poll, execute };
  DirectoryLoader.applyDeclarativeNodeOptionParameters(copy);
  return copy;
}

function newestVersion({ description: { version, defaultVersion } }: INodeType): number {
  return defaultVersion ?? (Array.isArray(version) ? Math.max(...version) : version);
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
  credentialId?: string;
  onError?: INode['onError'];
}

function nodeOf(type: INodeType, settings: NodeSettings): INode {
  const { credentialId, onError } = settings;
  return {
    id: settings.id ?? 'node-under-test',
    name: settings.name ?? type.description.displayName,
    type: type.description.name,
    typeVersion: newestVersion(type),
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
