import { ExecuteContext, RoutingNode } from 'n8n-core';
import { UnexpectedError, Workflow, createEmptyRunExecutionData } from 'n8n-workflow';
import type {
  ICredentialDataDecryptedObject,
  ICredentialTestRequest,
  ICredentialType,
  ICredentialsDecrypted,
  INode,
  INodeCredentialTestResult,
  INodeExecutionData,
  INodeType,
} from 'n8n-workflow';

import { additionalDataWith } from './additionalData';
import { CredentialsInMemory } from './credentials';
import { record } from './log';
import { onlyType } from './nodeTypes';

/** The request part of n8n's `CredentialsTester`: a placeholder node whose only property has `test.request`. */
export async function testCredential(
  credentialType: ICredentialType,
  data: ICredentialDataDecryptedObject,
): Promise<INodeCredentialTestResult> {
  const { test } = credentialType;
  if (test === undefined) return { status: 'Error', message: 'No testing function found for this credential.' };

  const helper = new CredentialsInMemory([credentialType], { '1': data });
  const additionalData = additionalDataWith(helper, { currentNodeParameters: {} });
  const decrypted: ICredentialsDecrypted = { id: '1', name: 'Credential under test', type: credentialType.name, data };
  try {
    decrypted.data = await helper.applyDefaults(additionalData, data, credentialType.name, 'internal');
  } catch (error) {
    return { status: 'Error', message: messageOf(error) };
  }

  const node: INode = {
    id: 'temp',
    parameters: {},
    name: 'Temp-Node',
    type: 'n8n-nodes-base.noOp',
    typeVersion: 1,
    position: [0, 0],
    credentials: { [credentialType.name]: { id: '1', name: 'Credential under test' } },
  };
  const nodeType = placeholderFor(credentialType.name, test);
  const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes: onlyType(nodeType) });
  const context = new ExecuteContext(
    workflow,
    node,
    additionalData,
    'internal',
    createEmptyRunExecutionData(),
    0,
    [],
    { main: [[{ json: {} }]] },
    { node, data: {}, source: null },
    [],
  );
  record(context.logger);

  let response: INodeExecutionData[][] | undefined;
  try {
    response = await workflow.expression.withIsolate(
      async () => await new RoutingNode(context, nodeType, decrypted).runNode(),
    );
  } catch (error) {
    return { status: 'Error', message: failureMessage(error, test) };
  }
  const json: unknown = response?.[0]?.[0]?.json;
  for (const rule of test.rules ?? []) {
    if (rule.type === 'responseSuccessBody' && valueAt(json, rule.properties.key) === rule.properties.value) {
      return { status: 'Error', message: rule.properties.message };
    }
  }
  return { status: 'OK', message: 'Connection successful!' };
}

function valueAt(json: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
      json,
    );
}

function placeholderFor(credentialName: string, test: ICredentialTestRequest): INodeType {
  return {
    description: {
      displayName: 'No Operation, do nothing',
      name: 'n8n-nodes-base.noOp',
      group: ['organization'],
      version: 1,
      description: 'No Operation',
      defaults: { name: 'No Operation, do nothing' },
      inputs: ['main'],
      outputs: ['main'],
      credentials: [{ name: credentialName, required: true }],
      properties: [
        { displayName: 'Temp', name: 'temp', type: 'string', routing: { request: test.request }, default: '' },
      ],
    },
  };
}

function failureMessage(error: unknown, { rules }: ICredentialTestRequest): string {
  const { response, code } = causeOf(error);
  if (response !== undefined) {
    const { status, statusText } = response;
    for (const rule of rules ?? []) {
      if (rule.type === 'responseCode' && rule.properties.value === status) return rule.properties.message;
    }
    if (status < 199 || status > 299) return statusText || `Received HTTP status code: ${String(status)}`;
  } else if (code !== undefined) {
    return code;
  }
  return messageOf(error);
}

interface Cause {
  response?: { status: number; statusText: string };
  code?: string;
}

function causeOf(error: unknown): Cause {
  const cause = error instanceof Error ? error.cause : undefined;
  return typeof cause === 'object' && cause !== null ? cause : {};
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  throw new UnexpectedError('Something that is no error was thrown', { extra: { thrown: error } });
}
