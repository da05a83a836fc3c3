import { createRequire } from 'node:module';
import { join } from 'node:path';
import 'reflect-metadata';

import type * as Core from 'n8n-core';
import type {
  ICredentialDataDecryptedObject,
  ICredentialType,
  IHttpRequestOptions,
  INode,
  INodeExecutionData,
  INodeParameters,
  INodeType,
  IRequestOptionsSimplified,
  IVersionedNodeType,
  IWorkflowExecuteAdditionalData,
  Workflow,
} from 'n8n-workflow';
import type * as N8nWorkflow from 'n8n-workflow';

import { runnerFolder } from '../n8n-runner/paths.ts';
import type { ServiceAddress } from './service.ts';

// The ES modules of n8n-workflow leave out file extensions: only bundlers load them.
const load = createRequire(import.meta.url);
const core = load('n8n-core') as typeof Core;
const workflow = load('n8n-workflow') as typeof N8nWorkflow;

/** This package as it would be published; the harness unpacks it there. */
const packageFolder = join(process.env['N8N_USER_FOLDER'] ?? '', '.n8n/nodes/node_modules/n8n-nodes-neetoform/dist');

const credentialFile = join(packageFolder, 'credentials/NeetoFormApi.credentials.js');

/** A node of a workflow. */
export interface NodeSetup {
  type: INodeType;
  service: ServiceAddress;
  parameters: INodeParameters;
}

/** Starts the expression engine that n8n uses by default, with n8n's own settings. */
export async function startExpressionEngine(): Promise<void> {
  await workflow.Expression.initExpressionEngine({
    engine: 'vm',
    poolSize: 1,
    maxCodeCacheSize: 1024,
    bridgeTimeout: 5_000,
    bridgeMemoryLimit: 128,
  });
}

/** A node of this package, as n8n's loader registers it: declarative nodes get `requestOptions`. */
export function packagedNode(name: 'NeetoForm' | 'NeetoFormTrigger'): INodeType {
  const type = new (classIn<INodeType>(join(packageFolder, `nodes/NeetoForm/${name}.node.js`), name))();
  core.DirectoryLoader.applyDeclarativeNodeOptionParameters(type);
  return type;
}

/** The newest version of n8n's HTTP Request node. */
export function httpRequest(): INodeType {
  const file = join(runnerFolder, 'node_modules/n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node.js');
  return new (classIn<IVersionedNodeType>(file, 'HttpRequest'))().getNodeType();
}

/**
 * Runs a node as n8n does in an execution: a declarative node by its routing, any other by its own function.
 *
 * @returns its output items
 */
export async function runNode(setup: NodeSetup): Promise<INodeExecutionData[]> {
  const { node, flow } = workflowWith(setup);
  const items = [{ json: {} }];
  const data = { main: [items] };
  const context = new core.ExecuteContext(
    flow,
    node,
    additionalData(setup.service),
    'trigger',
    workflow.createEmptyRunExecutionData(),
    0,
    items,
    data,
    { node, data, source: null },
    [],
  );
  const { execute } = setup.type;
  const output = await flow.expression.withIsolate(async () =>
    execute === undefined ? await new core.RoutingNode(context, setup.type).runNode() : await execute.call(context),
  );
  if (!Array.isArray(output)) throw new workflow.UnexpectedError('The node wants other nodes to run');
  return output[0] ?? [];
}

/**
 * Starts a trigger of an active workflow.
 *
 * @returns a function that polls once; the state is kept from poll to poll
 */
export function startTrigger(setup: NodeSetup): () => Promise<INodeExecutionData[]> {
  const { node, flow } = workflowWith(setup);
  const context = new core.PollContext(flow, node, additionalData(setup.service), 'trigger', 'activate');
  return async () => {
    const { poll } = setup.type;
    if (poll === undefined) throw new workflow.UnexpectedError('The node does not poll');
    return (await flow.expression.withIsolate(async () => await poll.call(context)))?.[0] ?? [];
  };
}

/** Each run is an execution of its own: nothing that a node keeps per execution is found again. */
let executions = 0;

function workflowWith({ type, parameters }: NodeSetup): { node: INode; flow: Workflow } {
  const { displayName, name, version, defaultVersion } = type.description;
  executions += 1;
  const node: INode = {
    id: `node-${executions}`,
    name: displayName,
    type: `${name === 'httpRequest' ? 'n8n-nodes-base' : 'n8n-nodes-neetoform'}.${name}`,
    typeVersion: defaultVersion ?? (Array.isArray(version) ? Math.max(...version) : version),
    position: [0, 0],
    parameters: structuredClone(parameters),
    credentials: { neetoFormApi: { id: '1', name: 'NeetoForm' } },
  };
  const flow = new workflow.Workflow({
    id: `workflow-${executions}`,
    nodes: [node],
    connections: {},
    active: true,
    nodeTypes: { getByName: () => type, getByNameAndVersion: () => type, getKnownTypes: () => ({}) },
    staticData: {},
    settings: { timezone: 'UTC' },
  });
  return { node, flow };
}

/** One credential, kept in memory instead of n8n's database. */
class OneCredential extends workflow.ICredentialsHelper {
  private readonly type = new (classIn<ICredentialType>(credentialFile, 'NeetoFormApi'))();
  private readonly data: ICredentialDataDecryptedObject;

  constructor({ url, apiKey }: ServiceAddress) {
    super();
    this.data = { subdomain: 'acme', apiKey, baseUrl: url };
  }

  async authenticate(
    credentials: ICredentialDataDecryptedObject,
    _type: string,
    options: IHttpRequestOptions | IRequestOptionsSimplified,
  ): Promise<IHttpRequestOptions> {
    const { authenticate } = this.type;
    if (typeof authenticate !== 'function')
      throw new workflow.UnexpectedError('The credential adds its key by a function');
    // n8n passes on whichever kind of options a node uses, as here.
    return await authenticate(credentials, options as IHttpRequestOptions);
  }

  preAuthentication = async () => undefined;
  runPreAuthentication = async () => undefined;
  getParentTypes = () => [];
  isCredentialUsableByNode = () => true;
  getCredentialsProperties = () => this.type.properties;
  getDecrypted = async () => ({ ...this.data });
  getCredentials = unavailable;
  updateCredentials = unavailable;
  updateCredentialsOauthTokenData = unavailable;
}

function unavailable(): Promise<never> {
  return Promise.reject(new workflow.UnexpectedError('A measured node needs nothing else of n8n'));
}

function additionalData(service: ServiceAddress): IWorkflowExecuteAdditionalData {
  return {
    credentialsHelper: new OneCredential(service),
    externalSecretsProxy: new core.ExternalSecretsProxy(),
    executeWorkflow: unavailable,
    getRunExecutionData: unavailable,
    getRuntimeCredential: unavailable,
    startRunnerTask: unavailable,
    logAiEvent: () => undefined,
    executionId: String(executions),
    workflowId: `workflow-${executions}`,
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

type Class<T> = new () => T;

function classIn<T>(file: string, name: string): Class<T> {
  const { [name]: found } = load(file) as Record<string, Class<T>>;
  if (found === undefined) throw new Error(`There is no class ${name} in ${file}`);
  return found;
}
