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
import { PollingWorkflow, type PollingSettings } from './engine/pollingWorkflow';
import { workflowOf } from './engine/workflow';

export { clearLog, deepText, loggedText } from './engine/log';
export type { PollingWorkflow, PollMode, PollResult, Scheduler } from './engine/pollingWorkflow';

// Runs n8n's own engine in this process: real contexts, real declarative routing, real HTTP. Only its database is replaced by memory.

/** The id of the only credential. */
const CREDENTIAL_ID = '1';

/** The node to run, and everything that n8n would give it. */
interface NodeOptions {
  /** The data of the credential. Without it the node has no credential set. */
  credentials?: ICredentialDataDecryptedObject;
  /** The parameters as a saved workflow has them. A parameter that is left out has the default of its description. */
  parameters: INodeParameters;
}

export interface RunOptions extends NodeOptions {
  /** The JSON of the input items. Default: one empty item. */
  items?: IDataObject[];
  continueOnFail?: boolean;
  /** The name of the node, when an execution has several. */
  id?: string;
  timezone?: string;
  signal?: AbortSignal;
  /**
   * The object that stands for the execution of a node. n8n gives the same one to each try of Retry On Fail, and that of the agent to all tools
   * of an agent. Default: a new one.
   */
  executeData?: IExecuteData;
}

/** A trigger of a workflow. */
export interface TriggerOptions {
  /** Default: `node-under-test`. */
  id?: string;
  /** Default: the name of its type. */
  name?: string;
  parameters: INodeParameters;
  /** Default: the first of the workflow. */
  credentialId?: string;
  onError?: INode['onError'];
}

/** A workflow with any number of triggers of one type. */
interface PollingWorkflowOptions extends PollingSettings {
  triggers: TriggerOptions[];
  /** The data of credentials, by their id. */
  credentials: Record<string, ICredentialDataDecryptedObject>;
}

/** What the editor sends when it asks a node for a list. The panel of the node may be empty. */
export type EditorOptions = Partial<NodeOptions>;

/**
 * Runs a node as n8n does in an execution: a declarative node by its routing, any other by its own function.
 * @returns the items of its first output
 */
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
  { triggers, credentials, ...settings }: PollingWorkflowOptions,
): PollingWorkflow {
  const type = registered(nodeType);
  const [firstCredential] = Object.keys(credentials);
  const nodes = triggers.map((trigger) => nodeOf(type, { credentialId: firstCredential, ...trigger }));
  return new PollingWorkflow(type, nodes, new CredentialsInMemory(credentials), settings);
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
