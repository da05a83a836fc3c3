import { Credentials, getAdditionalKeys } from 'n8n-core';
import { ICredentialsHelper, NodeHelpers, UnexpectedError, Workflow } from 'n8n-workflow';
import type {
  ICredentialDataDecryptedObject,
  ICredentialType,
  ICredentials,
  ICredentialsExpressionResolveValues,
  IExecuteData,
  IHttpRequestOptions,
  INode,
  INodeCredentialsDetails,
  INodeParameters,
  INodeProperties,
  INodeType,
  IRequestOptionsSimplified,
  IWorkflowExecuteAdditionalData,
  WorkflowExecuteMode,
} from 'n8n-workflow';

import { onlyType } from './nodeTypes';

const placeholder: INode = { id: 'mock', name: '', typeVersion: 1, type: 'mock', position: [0, 0], parameters: {} };

const placeholderType: INodeType = {
  description: {
    displayName: 'Mock',
    name: 'mock',
    group: [],
    version: 1,
    description: '',
    defaults: {},
    inputs: [],
    outputs: [],
    properties: [],
  },
};

/** What n8n's own `CredentialsHelper` does, over credential types and data kept in memory instead of a database. */
export class CredentialsInMemory extends ICredentialsHelper {
  private readonly types: ICredentialType[];
  private readonly stored: Record<string, ICredentialDataDecryptedObject>;

  /** @param stored the data of credentials, by their id */
  constructor(types: ICredentialType[], stored: Record<string, ICredentialDataDecryptedObject>) {
    super();
    this.types = types;
    this.stored = stored;
  }

  async authenticate(
    credentials: ICredentialDataDecryptedObject,
    typeName: string,
    requestOptions: IHttpRequestOptions | IRequestOptionsSimplified,
  ): Promise<IHttpRequestOptions> {
    const options = requestOptions as IHttpRequestOptions;
    const { authenticate } = this.typeByName(typeName);
    if (typeof authenticate === 'function') return await authenticate(credentials, options);
    if (authenticate === undefined) return options;
    throw new UnexpectedError('Only credentials that sign requests by a function are supported');
  }

  async preAuthentication(): Promise<undefined> {
    return undefined;
  }

  async runPreAuthentication(): Promise<undefined> {
    return undefined;
  }

  getParentTypes(): string[] {
    return [];
  }

  isCredentialUsableByNode(): boolean {
    return true;
  }

  getCredentialsProperties(typeName: string): INodeProperties[] {
    return this.typeByName(typeName).properties;
  }

  async getCredentials(nodeCredentials: INodeCredentialsDetails, typeName: string): Promise<ICredentials> {
    const credentials = new Credentials(nodeCredentials, typeName);
    await credentials.setData(this.dataOf(nodeCredentials));
    return credentials;
  }

  async getDecrypted(
    additionalData: IWorkflowExecuteAdditionalData,
    nodeCredentials: INodeCredentialsDetails,
    typeName: string,
    mode: WorkflowExecuteMode,
    executeData?: IExecuteData,
    raw?: boolean,
    resolveValues?: ICredentialsExpressionResolveValues,
  ): Promise<ICredentialDataDecryptedObject> {
    const data = this.dataOf(nodeCredentials);
    return raw === true
      ? data
      : await this.applyDefaults(additionalData, data, typeName, mode, executeData, resolveValues);
  }

  async applyDefaults(
    additionalData: IWorkflowExecuteAdditionalData,
    original: ICredentialDataDecryptedObject,
    typeName: string,
    mode: WorkflowExecuteMode,
    executeData?: IExecuteData,
    resolveValues?: ICredentialsExpressionResolveValues,
  ): Promise<ICredentialDataDecryptedObject> {
    const withDefaults =
      NodeHelpers.getNodeParameters(
        this.getCredentialsProperties(typeName),
        original as INodeParameters,
        true,
        false,
        null,
        null,
      ) ?? {};
    // n8n adds these two to every credential that has `authenticate`; they are in no property list here.
    for (const name of ['allowedHttpRequestDomains', 'allowedDomains']) {
      const value = original[name];
      if (withDefaults[name] === undefined && typeof value === 'string') withDefaults[name] = value;
    }

    const keys = getAdditionalKeys(additionalData, mode, null, { isCredential: true });
    if (resolveValues) {
      const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } = resolveValues;
      return workflow.expression.getParameterValue(
        withDefaults,
        runExecutionData,
        runIndex,
        itemIndex,
        node.name,
        connectionInputData,
        mode,
        keys,
        executeData,
        false,
        withDefaults,
      ) as ICredentialDataDecryptedObject;
    }
    const workflow = new Workflow({
      nodes: [placeholder],
      connections: {},
      active: false,
      nodeTypes: onlyType(placeholderType),
    });
    return await workflow.expression.withIsolate(
      async () =>
        workflow.expression.getComplexParameterValue(
          placeholder,
          withDefaults,
          mode,
          keys,
          undefined,
          undefined,
          withDefaults,
        ) as ICredentialDataDecryptedObject,
    );
  }

  async updateCredentials(): Promise<void> {
    throw new UnexpectedError('The nodes under test never store credentials');
  }

  async updateCredentialsOauthTokenData(): Promise<void> {
    await this.updateCredentials();
  }

  typeByName(name: string): ICredentialType {
    const type = this.types.find((candidate) => candidate.name === name);
    if (type === undefined) throw new UnexpectedError(`Unknown credential type "${name}"`);
    return type;
  }

  private dataOf({ id }: INodeCredentialsDetails): ICredentialDataDecryptedObject {
    const data = this.stored[String(id)];
    if (data === undefined) throw new UnexpectedError(`There is no credential ${String(id)}`);
    return structuredClone(data);
  }
}
