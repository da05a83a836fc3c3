import type { ICredentialDataDecryptedObject, INodeCredentialTestResult, INodeProperties } from 'n8n-workflow';

import { NeetoFormApi } from '../../../credentials/NeetoFormApi.credentials';
import { CredentialsInMemory } from './credentials';
import { executeNode } from './execute';
import { placeholderNode, placeholderType } from './workflow';

/** The request part of n8n's `CredentialsTester`: a placeholder node whose only property has `test.request`. */
export async function testCredential(data: ICredentialDataDecryptedObject): Promise<INodeCredentialTestResult> {
  const { name, test } = new NeetoFormApi();
  const { rules = [] } = test;
  const credential = { id: '1', name: 'Credential under test' };
  const node = placeholderNode('Temp-Node', { credentials: { [name]: credential } });
  const request: INodeProperties = {
    displayName: 'Temp',
    name: 'temp',
    type: 'string',
    routing: { request: test.request },
    default: '',
  };
  const type = placeholderType({ credentials: [{ name, required: true }], properties: [request] });
  const credentialsHelper = new CredentialsInMemory({ '1': data });
  let output: Awaited<ReturnType<typeof executeNode>>;
  try {
    output = await executeNode({ type, node, credentialsHelper, unsaved: { ...credential, type: name, data } });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { status: 'Error', message: failureMessage(error, rules) };
  }
  const json = Array.isArray(output) ? output[0]?.[0]?.json : undefined;
  for (const { type: kind, properties } of rules as CredentialRule[]) {
    if (kind === 'responseSuccessBody' && json?.[properties.key ?? ''] === properties.value)
      return { status: 'Error', message: properties.message };
  }
  return { status: 'OK', message: 'Connection successful!' };
}

/** The rules of both kinds; n8n's type wants all of one. */
interface CredentialRule {
  type: string;
  properties: { key?: string; value: unknown; message: string };
}

/** What the editor shows of an error: a status without a rule is an error of its own here. */
function failureMessage({ cause, message }: Error, rules: CredentialRule[]): string {
  const { response, code }: FailureCause = typeof cause === 'object' && cause !== null ? cause : {};
  if (!response) return code ?? message;
  const rule = rules.find(({ type, properties }) => type === 'responseCode' && properties.value === response.status);
  return rule?.properties.message ?? `There is no rule for status ${response.status}`;
}

interface FailureCause {
  response?: { status: number };
  code?: string;
}
