import { ICredentialsHelper, UnexpectedError } from 'n8n-workflow';
import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { NeetoFormApi } from '../../../credentials/NeetoFormApi.credentials';

/** n8n's helper for this package's credential, with data in memory. Expressions in the data are not resolved. */
export class CredentialsInMemory extends ICredentialsHelper {
  private readonly type = new NeetoFormApi();
  private readonly stored: Record<string, ICredentialDataDecryptedObject>;

  /** @param stored the data of credentials by ID. What the caller changes in it counts from then on */
  constructor(stored: Record<string, ICredentialDataDecryptedObject>) {
    super();
    this.stored = stored;
  }

  authenticate: ICredentialsHelper['authenticate'] = async (credentials, _typeName, options) => {
    const { authenticate } = this.type;
    if (typeof authenticate !== 'function') throw new UnexpectedError('The credential signs requests by a function');
    return await authenticate(credentials, options as IHttpRequestOptions);
  };

  getDecrypted: ICredentialsHelper['getDecrypted'] = async (_additionalData, { id }) => {
    const data = this.stored[String(id)];
    if (data === undefined) throw new UnexpectedError(`There is no credential ${String(id)}`);
    const defaults = Object.fromEntries(this.type.properties.map((property) => [property.name, property.default]));
    return { ...defaults, ...structuredClone(data) } as ICredentialDataDecryptedObject;
  };

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
function unavailable(): Promise<never> {
  return Promise.reject(new UnexpectedError('The nodes need nothing else of n8n'));
}
