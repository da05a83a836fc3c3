import type {
  ICredentialDataDecryptedObject,
  ICredentialType,
  ICredentials,
  IHttpRequestOptions,
  INodeCredentialsDetails,
  INodeProperties,
  IRequestOptionsSimplified,
} from 'n8n-workflow';

import { core, workflow } from './n8n.ts';

/** One credential, kept in memory instead of n8n's database. */
export class OneCredential extends workflow.ICredentialsHelper {
  private readonly type: ICredentialType;
  private readonly data: ICredentialDataDecryptedObject;

  constructor(type: ICredentialType, data: ICredentialDataDecryptedObject) {
    super();
    this.type = type;
    this.data = data;
  }

  async authenticate(
    credentials: ICredentialDataDecryptedObject,
    _typeName: string,
    options: IHttpRequestOptions | IRequestOptionsSimplified,
  ): Promise<IHttpRequestOptions> {
    const { authenticate } = this.type;
    if (typeof authenticate !== 'function')
      throw new workflow.UnexpectedError('The credential adds its key by a function');
    return await authenticate(credentials, options as IHttpRequestOptions);
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

  getCredentialsProperties(): INodeProperties[] {
    return this.type.properties;
  }

  async getCredentials(nodeCredentials: INodeCredentialsDetails, typeName: string): Promise<ICredentials> {
    const credentials = new core.Credentials(nodeCredentials, typeName);
    await credentials.setData(this.data);
    return credentials;
  }

  async getDecrypted(): Promise<ICredentialDataDecryptedObject> {
    return { ...this.data };
  }

  async updateCredentials(): Promise<void> {
    throw new workflow.UnexpectedError('Nothing here stores credentials');
  }

  async updateCredentialsOauthTokenData(): Promise<void> {
    throw new workflow.UnexpectedError('Nothing here stores credentials');
  }
}
