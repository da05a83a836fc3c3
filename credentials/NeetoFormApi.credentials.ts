import type {
  IAuthenticate,
  IAuthenticateRuleResponseCode,
  ICredentialDataDecryptedObject,
  ICredentialTestRequest,
  ICredentialType,
  IHttpRequestOptions,
  Icon,
  INodeProperties,
} from 'n8n-workflow';
import { UserError } from 'n8n-workflow';
import { WORKSPACE_URL_EXPRESSION, workspaceUrl } from '../nodes/NeetoForm/api/workspaceUrl';

/** n8n's HTTP Request node still speaks the options of the old request library. */
type AnyRequestOptions = IHttpRequestOptions & { uri?: string; followRedirect?: boolean; followAllRedirects?: boolean };

const NO_SUCH_WORKSPACE =
  "No NeetoForm workspace answers at this address. Check the 'Subdomain': it is the first part of your workspace's address, acme for https://acme.neetoform.com. A 'Base URL' counts instead of it: check that, or leave it empty";

export class NeetoFormApi implements ICredentialType {
  name = 'neetoFormApi';

  displayName = 'NeetoForm API';

  icon: Icon = { light: 'file:../icons/neetoForm.svg', dark: 'file:../icons/neetoForm.dark.svg' };

  documentationUrl = 'https://github.com/n8n-nodes-neetoform/n8n-nodes-neetoform#credential';

  properties: INodeProperties[] = [
    {
      displayName: 'Subdomain',
      name: 'subdomain',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'e.g. acme',
      description: "The first part of your workspace's address: acme for https://acme.neetoform.com",
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description: 'A key of this very workspace. A key of another workspace is refused.',
      hint: "A workspace admin creates keys in the workspace's settings in NeetoForm",
    },
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      default: '',
      placeholder: 'e.g. https://staging.example.com',
      hint: 'Leave empty, unless your workspace is on a staging or local server',
      description:
        'Only for a staging or local server: its address without a path. Leave empty to use https://{subdomain}.neetoform.com.',
    },
  ];

  authenticate: IAuthenticate = addApiKey;

  test: ICredentialTestRequest = {
    request: {
      baseURL: WORKSPACE_URL_EXPRESSION,
      url: '/api/external/v2/forms',
      qs: { page: 1, page_size: 1 },
      disableFollowRedirect: true,
    },
    rules: [
      answered(
        401,
        'The workspace refused the API key. Check the key: it may be mistyped or expired, or belong to another workspace than this subdomain',
      ),
      answered(403, "The API key works, but its owner's role may not list forms. Use a key of a workspace admin"),
      ...[301, 302, 303, 307, 308, 404].map((status) => answered(status, NO_SUCH_WORKSPACE)),
      // A web page instead of data. n8n reads each rule by its own type, though its typing wants all of one.
      { type: 'responseSuccessBody', properties: { key: 'forms', value: undefined, message: NO_SUCH_WORKSPACE } },
    ] as IAuthenticateRuleResponseCode[],
  };
}

/**
 * Adds the API key to a request that goes to the credential's own workspace, and to no other: not when a node asks
 * another host, and not when the workspace redirects there, for redirects are not followed.
 *
 * @throws UserError when the request goes elsewhere, when the credential's address is not a workspace, or when it has no key
 */
async function addApiKey(
  credentials: ICredentialDataDecryptedObject,
  requestOptions: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
  const options: AnyRequestOptions = requestOptions;
  const workspace = workspaceUrl(credentials);
  const key = typeof credentials.apiKey === 'string' ? credentials.apiKey.trim() : '';
  if (key === '') throw new UserError("The credential's 'API Key' is empty");
  const elsewhere = targetsOf(options).find((target) => target !== workspace);
  if (elsewhere !== undefined) {
    throw new UserError(
      `The API key was not sent: this credential belongs to ${workspace}, and the request goes to ${elsewhere}. Use it for addresses of its own workspace only`,
    );
  }
  options.headers = { Accept: 'application/json', ...options.headers, 'X-Api-Key': key };
  options.disableFollowRedirect = true;
  options.followRedirect = false;
  options.followAllRedirects = false;
  return options;
}

/** The origins a request may go to. An address is read just as it will be when it is asked: `https:evil.com` leads elsewhere without a base. */
function targetsOf({ url, uri, baseURL }: AnyRequestOptions): string[] {
  const addresses = [url, uri].filter((address): address is string => Boolean(address));
  return (addresses.length > 0 ? addresses : ['']).map((address) => {
    const base = baseURL || undefined;
    return URL.canParse(address, base) ? new URL(address, base).origin : 'an address that cannot be read';
  });
}

function answered(status: number, message: string): IAuthenticateRuleResponseCode {
  return { type: 'responseCode', properties: { value: status, message } };
}
