import type {
  ICredentialDataDecryptedObject,
  ICredentialType,
  IExecuteData,
  INode,
  INodeExecutionData,
  INodeParameters,
  INodeType,
  INodeTypes,
  ITaskDataConnections,
  IWorkflowExecuteAdditionalData,
  Workflow,
} from 'n8n-workflow';

import { OneCredential } from './credentials.ts';
import { core, workflow } from './n8n.ts';

/** A node of a workflow, with the credential it uses. */
export interface Setup {
  type: INodeType;
  /** The package it comes from: n8n tells node types apart by it. */
  from: 'n8n-nodes-neetoform' | 'n8n-nodes-base';
  parameters: INodeParameters;
  credentialType: ICredentialType;
  credential: ICredentialDataDecryptedObject;
}

/** Runs a node as n8n does in an execution: a declarative one by its routing, any other by its own function. Gives its items. */
export async function runNode(
  setup: Setup,
  items: INodeExecutionData[] = [{ json: {} }],
): Promise<INodeExecutionData[]> {
  const { type } = setup;
  const node = nodeOf(setup);
  const inputData: ITaskDataConnections = { main: [items] };
  const executeData: IExecuteData = { node, data: inputData, source: null };
  const flow = workflowOf(setup, node);
  const context = new core.ExecuteContext(
    flow,
    node,
    additionalData(setup),
    'trigger',
    workflow.createEmptyRunExecutionData(),
    0,
    items,
    inputData,
    executeData,
    [],
  );
  const output = await flow.expression.withIsolate(async () => {
    const { execute } = type;
    return execute === undefined ? await new core.RoutingNode(context, type).runNode() : await execute.call(context);
  });
  if (!Array.isArray(output)) throw new workflow.UnexpectedError('The node asked the engine to run other nodes');
  return output[0] ?? [];
}

/** A trigger of an active workflow: each call is one poll, and gives the items or null. What it remembers stays from poll to poll. */
export function createPoller(setup: Setup): () => Promise<INodeExecutionData[][] | null> {
  const node = nodeOf(setup);
  const flow = workflowOf(setup, node);
  const context = new core.PollContext(flow, node, additionalData(setup), 'trigger', 'activate');
  return async () => {
    const { poll } = setup.type;
    if (poll === undefined) throw new workflow.UnexpectedError('The node does not poll');
    return await flow.expression.withIsolate(async () => await poll.call(context));
  };
}

/** The type as n8n's loader registers it: declarative nodes get `requestOptions`. */
export function registered(type: INodeType): INodeType {
  core.DirectoryLoader.applyDeclarativeNodeOptionParameters(type);
  return type;
}

function nodeOf({ type, from, parameters, credentialType }: Setup): INode {
  const { displayName, name, version, defaultVersion } = type.description;
  return {
    id: 'measured-node',
    name: displayName,
    type: `${from}.${name}`,
    typeVersion: defaultVersion ?? (Array.isArray(version) ? Math.max(...version) : version),
    position: [0, 0],
    parameters: structuredClone(parameters),
    credentials: { [credentialType.name]: { id: '1', name: 'Credential' } },
  };
}

function workflowOf({ type }: Setup, node: INode): Workflow {
  const nodeTypes: INodeTypes = { getByName: () => type, getByNameAndVersion: () => type, getKnownTypes: () => ({}) };
  return new workflow.Workflow({
    id: 'measured-workflow',
    name: 'Measured workflow',
    nodes: [node],
    connections: {},
    active: true,
    nodeTypes,
    staticData: {},
    settings: { timezone: 'UTC' },
  });
}

function additionalData({ credentialType, credential }: Setup): IWorkflowExecuteAdditionalData {
  const unused = (): Promise<never> =>
    Promise.reject(new workflow.UnexpectedError('Nothing here needs the rest of n8n'));
  return {
    credentialsHelper: new OneCredential(credentialType, credential),
    externalSecretsProxy: new core.ExternalSecretsProxy(),
    executeWorkflow: unused,
    getRunExecutionData: unused,
    getRuntimeCredential: unused,
    startRunnerTask: unused,
    logAiEvent: () => undefined,
    executionId: '1',
    workflowId: 'measured-workflow',
    currentNodeExecutionIndex: 0,
    variables: {},
    restApiUrl: '',
    instanceBaseUrl: '',
    formBaseUrl: '',
    formWaitingBaseUrl: '',
    formTestBaseUrl: '',
    webhookBaseUrl: '',
    webhookWaitingBaseUrl: '',
    webhookTestBaseUrl: '',
    mcpBaseUrl: '',
    mcpTestBaseUrl: '',
  };
}
