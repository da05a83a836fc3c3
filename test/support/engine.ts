import 'reflect-metadata';

import { DirectoryLoader, ExecuteContext, LoadOptionsContext, RoutingNode } from 'n8n-core';
import { createEmptyRunExecutionData, UnexpectedError } from 'n8n-workflow';
import type {
  ICredentialDataDecryptedObject,
  IDataObject,
  IExecuteData,
  ILoadOptionsFunctions,
  INode,
  INodeExecutionData,
  INodeParameters,
  INodeType,
} from 'n8n-workflow';

import { additionalDataWith } from './engine/additionalData';
import { CredentialsInMemory } from './engine/credentials';
import { record } from './engine/log';
import { PollingWorkflow, type Scheduler } from './engine/pollingWorkflow';
import { workflowOf } from './engine/workflow';

export { clearLog, deepText, loggedText } from './engine/log';
export type { PollingWorkflow, PollMode, PollResult, Scheduler } from './engine/pollingWorkflow';

const CREDENTIAL_ID = '1';

interface NodeOptions {
  /** Without them, the node has no credential. */
  credentials?: ICredentialDataDecryptedObject;
  parameters: INodeParameters;
}

export interface RunOptions extends NodeOptions {
  /** The JSON of the input items. */
  items?: IDataObject[];
  continueOnFail?: boolean;
  /** The name of the node, when an execution has several. */
  id?: string;
  timezone?: string;
  signal?: AbortSignal;
  /** Default: a new one. n8n gives the same one to each try of Retry On Fail, and that of an agent to all its tools. */
  executeData?: IExecuteData;
}

export interface TriggerOptions {
  id?: string;
  name?: string;
  parameters: INodeParameters;
  /** Default: the first of the workflow. */
  credentialId?: string;
  onError?: INode['onError'];
}

interface PollingWorkflowOptions {
  triggers: TriggerOptions[];
  /** By ID. A change counts from the next request on. */
  credentials: Record<string, ICredentialDataDecryptedObject>;
  /** Default: `memory`. */
  scheduler?: Scheduler;
}

/** What the editor sends when it asks a node for a list. */
export type EditorOptions = Partial<NodeOptions>;

/** Runs a node in n8n's own engine: only its database is replaced by memory. @returns the items of its first output */
export async function runNode(
  nodeType: INodeType,
  { id, parameters, credentials, items = [{}], continueOnFail, timezone = 'UTC', signal, executeData }: RunOptions,
): Promise<INodeExecutionData[]> {
  const type = registered(nodeType);
  const onError = continueOnFail === true ? 'continueRegularOutput' : undefined;
  const node = nodeOf(type, { id, parameters, onError, credentialId: credentials && CREDENTIAL_ID });
  const workflow = workflowOf(type, [node], { settings: { timezone } });
  const services = additionalDataWith(helperWith(credentials), { workflowId: workflow.id });
  const input = items.map((json) => ({ json }));
  const given = executeData ?? { node, data: { main: [input] }, source: null };
  const run = createEmptyRunExecutionData();
  const context = new ExecuteContext(workflow, node, services, 'trigger', run, 0, input, given.data, given, [], signal);
  record(context.logger);
  const { execute } = type;
  const output = await workflow.expression.withIsolate(async () =>
    execute ? await execute.call(context) : await new RoutingNode(context, type).runNode(),
  );
  if (!Array.isArray(output)) throw new UnexpectedError('The node under test wants other nodes to run');
  return output[0] ?? [];
}

/** A workflow whose triggers are polled one by one. */
export function createPollingWorkflow(
  nodeType: INodeType,
  { triggers, credentials, scheduler = 'memory' }: PollingWorkflowOptions,
): PollingWorkflow {
  const type = registered(nodeType);
  const [firstCredential] = Object.keys(credentials);
  const nodes = triggers.map((trigger) => nodeOf(type, { credentialId: firstCredential, ...trigger }));
  return new PollingWorkflow(type, nodes, new CredentialsInMemory(credentials), scheduler);
}

/** Asks a node for what the editor shows: the list of a resource locator, or the options of a field. */
export async function askInEditor<T>(
  nodeType: INodeType,
  { credentials, parameters = {} }: EditorOptions,
  ask: (context: ILoadOptionsFunctions) => Promise<T>,
): Promise<T> {
  const type = registered(nodeType);
  const node = nodeOf(type, { name: 'Temp-Node', parameters, credentialId: credentials && CREDENTIAL_ID });
  const workflow = workflowOf(type, [node]);
  const additionalData = additionalDataWith(helperWith(credentials), { currentNodeParameters: parameters });
  const context = new LoadOptionsContext(workflow, node, additionalData, '');
  record(context.logger);
  return await workflow.expression.withIsolate(async () => await ask(context));
}

function helperWith(data: ICredentialDataDecryptedObject | undefined): CredentialsInMemory {
  return new CredentialsInMemory(data === undefined ? {} : { [CREDENTIAL_ID]: data });
}

/** The type as n8n's loader registers it: declarative nodes get `requestOptions`. The original stays untouched. */
function registered({ description, methods, poll, execute }: INodeType): INodeType {
  const copy = { description: { ...description, properties: [...description.properties] }, methods, poll, execute };
  DirectoryLoader.applyDeclarativeNodeOptionParameters(copy);
  return copy;
}

function nodeOf(type: INodeType, settings: TriggerOptions): INode {
  const { name, displayName, version, defaultVersion, credentials = [] } = type.description;
  const { credentialId, onError } = settings;
  return {
    id: settings.id ?? 'node-under-test',
    name: settings.name ?? displayName,
    type: name,
    typeVersion: defaultVersion ?? (Array.isArray(version) ? Math.max(...version) : version),
    position: [0, 0],
    parameters: structuredClone(settings.parameters),
    ...(credentialId !== undefined && {
      credentials: Object.fromEntries(
        credentials.map((credential) => [credential.name, { id: credentialId, name: 'Credential under test' }]),
      ),
    }),
    ...(onError !== undefined && { onError }),
  };
}
