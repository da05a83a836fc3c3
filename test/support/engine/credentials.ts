import { Credentials, getAdditionalKeys } from 'n8n-core';
import { ICredentialsHelper, NodeHelpers, UnexpectedError, Workflow, isExpression } from 'n8n-workflow';
import type {
  ICredentialDataDecryptedObject,
  ICredentialType,
  ICredentials,
  ICredentialsExpressionResolveValues,
  IDataObject,
  IExecuteData,
  IHttpRequestHelper,
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

const standIn: INode = { id: 'mock', name: '', typeVersion: 1, type: 'mock', position: [0, 0], parameters: {} };

const standInType: INodeType = {
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
    workflow?: Workflow,
    node?: INode,
  ): Promise<IHttpRequestOptions> {
    const options = requestOptions as IHttpRequestOptions;
    const { authenticate } = this.typeByName(typeName);
    if (typeof authenticate === 'function') return await authenticate(credentials, options);
    if (authenticate === undefined) return options;

    if (!workflow || !node)
      throw new UnexpectedError('Workflow and node are required for declarative credential authentication');
    const resolve = (value: string) => {
      if (!isExpression(value)) return value;
      const resolved = workflow.expression.getSimpleParameterValue(
        node,
        value,
        'internal',
        { $credentials: credentials },
        undefined,
        '',
      );
      return resolved ? String(resolved) : '';
    };
    const target = options as IHttpRequestOptions & IDataObject;
    target.headers ??= {};
    for (const [part, values] of Object.entries(authenticate.properties)) {
      const section = { ...(target[part] as IDataObject | undefined) };
      for (const [key, value] of Object.entries(values as Record<string, string>))
        section[resolve(key)] = resolve(value);
      target[part] = section;
    }
    return target;
  }

  async preAuthentication(
    helpers: IHttpRequestHelper,
    credentials: ICredentialDataDecryptedObject,
    typeName: string,
    _node: INode,
    credentialsExpired: boolean,
  ): Promise<ICredentialDataDecryptedObject | undefined> {
    const { properties, preAuthentication } = this.typeByName(typeName);
    const expirable = properties.find(({ type, typeOptions }) => type === 'hidden' && typeOptions?.expirable === true);
    if (expirable === undefined || preAuthentication === undefined) return undefined;
    if (credentials[expirable.name] !== '' && !credentialsExpired) return undefined;
    return Object.assign(credentials, await preAuthentication.call(helpers, credentials));
  }

  async runPreAuthentication(
    helpers: IHttpRequestHelper,
    credentials: ICredentialDataDecryptedObject,
    typeName: string,
  ): Promise<ICredentialDataDecryptedObject | undefined> {
    const output = await this.typeByName(typeName).preAuthentication?.call(helpers, credentials);
    return output as ICredentialDataDecryptedObject | undefined;
  }

  getParentTypes(): string[] {
    return [];
  }

  isCredentialUsableByNode(typeName: string, nodeType: string): boolean {
    const { restrictToSupportedNodes, supportedNodes } = this.typeByName(typeName);
    return restrictToSupportedNodes !== true || (supportedNodes ?? []).includes(nodeType);
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
    // n8n adds these two to every credential that has `authenticate`; they stand in no property list here.
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
      nodes: [standIn],
      connections: {},
      active: false,
      nodeTypes: onlyType(standInType),
    });
    return await workflow.expression.withIsolate(
      async () =>
        workflow.expression.getComplexParameterValue(
          standIn,
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
    throw new UnexpectedError('The nodes under test never store credentials');
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
