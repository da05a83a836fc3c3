import { ICredentialsHelper, UnexpectedError } from 'n8n-workflow';
import type {
  ICredentialDataDecryptedObject,
  IHttpRequestOptions,
  INodeCredentialsDetails,
  IRequestOptionsSimplified,
  IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

import { NeetoFormApi } from '../../../credentials/NeetoFormApi.credentials';

/** n8n's helper for this package's credential, with data in memory instead of a database. Expressions in the data are not resolved. */
export class CredentialsInMemory extends ICredentialsHelper {
  private readonly type = new NeetoFormApi();
  private readonly stored: Record<string, ICredentialDataDecryptedObject>;

  /** @param stored the data of credentials, by their id */
  constructor(stored: Record<string, ICredentialDataDecryptedObject>) {
    super();
    this.stored = stored;
  }

  /** Replaces the data of a credential. */
  change(id: string, data: ICredentialDataDecryptedObject): void {
    this.stored[id] = data;
  }

  async authenticate(
    credentials: ICredentialDataDecryptedObject,
    _typeName: string,
    options: IHttpRequestOptions | IRequestOptionsSimplified,
  ): Promise<IHttpRequestOptions> {
    const { authenticate } = this.type;
    if (typeof authenticate !== 'function') throw new UnexpectedError('The credential signs requests by a function');
    // n8n passes on whichever kind of options a node uses, as here.
    return await authenticate(credentials, options as IHttpRequestOptions);
  }

  async getDecrypted(
    _additionalData: IWorkflowExecuteAdditionalData,
    { id }: INodeCredentialsDetails,
  ): Promise<ICredentialDataDecryptedObject> {
    const data = this.stored[String(id)];
    if (data === undefined) throw new UnexpectedError(`There is no credential ${String(id)}`);
    const defaults = Object.fromEntries(this.type.properties.map((property) => [property.name, property.default]));
    return { ...defaults, ...structuredClone(data) } as ICredentialDataDecryptedObject;
  }

  preAuthentication = async () => undefined;
  runPreAuthentication = async () => undefined;
  getParentTypes = () => [];
  isCredentialUsableByNode = () => true;
  getCredentialsProperties = () => this.type.properties;
  getCredentials = unavailable;
  updateCredentials = unavailable;
  updateCredentialsOauthTokenData = unavailable;
}

/** Stands in for a function that no node under test calls. */
export function unavailable(): Promise<never> {
  return Promise.reject(new UnexpectedError('The nodes need nothing else of n8n'));
}
