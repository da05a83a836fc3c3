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
import { apiKeyOf, parseUrl, WORKSPACE_URL_EXPRESSION, workspaceUrl } from '../nodes/NeetoForm/api/workspaceUrl';

/** n8n's HTTP Request node still passes options of the old library `request`, which n8n's type does not have. */
type AnyRequestOptions = IHttpRequestOptions & {
  uri?: string;
  followRedirect?: boolean;
  followAllRedirects?: boolean;
  rejectUnauthorized?: boolean;
};

const CHECK_ADDRESS =
  "Check 'Subdomain': it is the first part of your workspace's address, acme for https://acme.neetoform.com. If 'Base URL' is set, it is used instead: check it, or leave it empty";
const NO_SUCH_WORKSPACE = `No NeetoForm workspace answers at this address. ${CHECK_ADDRESS}`;
/** A credential's test has fixed messages, which cannot quote the service. */
const SEE_WORDS = 'Run NeetoForm > Form > Get Many with this credential to see the words of the service';

export class NeetoFormApi implements ICredentialType {
  name = 'neetoFormApi';

  displayName = 'NeetoForm API';

  icon: Icon = { light: 'file:../icons/neetoForm.svg', dark: 'file:../icons/neetoForm.dark.svg' };

  documentationUrl = 'https://github.com/n8n-nodes-neetoform/n8n-nodes-neetoform#credentials';

  /** n8n's fields for allowed domains would have no effect: `authenticate` allows only the workspace's own host. */
  hideDomainRestrictionFields = true;

  properties: INodeProperties[] = [
    {
      displayName: 'Subdomain',
      name: 'subdomain',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'e.g. acme',
      hint: "The first part of your workspace's address: acme for https://acme.neetoform.com",
      description: 'If the test shows ENOTFOUND, there is no server at this address: check the spelling',
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      hint: 'A workspace admin creates keys in NeetoForm, usually under Admin panel > API keys',
      description: 'An API key from this workspace. Keys of other workspaces are refused.',
    },
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      default: '',
      placeholder: 'e.g. https://staging.example.com',
      hint: 'Leave empty unless your workspace is on a staging or local server',
      description:
        'Address of a staging or local server, without a path. If the test shows ENOTFOUND, check the host name; if it shows ECONNREFUSED, check the port and that the server is running. Default: https://{subdomain}.neetoform.com.',
    },
  ];

  authenticate: IAuthenticate = addApiKey;

  test: ICredentialTestRequest = {
    request: {
      baseURL: WORKSPACE_URL_EXPRESSION,
      url: '/api/external/v2/forms',
      qs: { page: 1, page_size: 1 },
    },
    rules: [
      onStatus(
        401,
        "The workspace refused the API key. Check 'API Key': it may be mistyped, expired or from another workspace",
      ),
      onStatus(403, "The API key is valid, but its owner's role cannot list forms. Use a key of a workspace admin"),
      onStatus(429, 'NeetoForm is limiting the rate of requests. Try again in a minute'),
      ...[301, 302, 303, 307, 308, 404].map((status) => onStatus(status, NO_SUCH_WORKSPACE)),
      ...[400, 422].map((status) => onStatus(status, `NeetoForm refused the request (status ${status}). ${SEE_WORDS}`)),
      ...[500, 502, 503, 504].map((status) =>
        onStatus(status, `NeetoForm could not process the request (status ${status}). Try again later`),
      ),
      // The test fails with this message if `forms` is missing or null, as in a web page. n8n takes rules of several types in one list, but its
      // typing does not, hence the assertion below.
      ...[undefined, null].map((value) => ({
        type: 'responseSuccessBody',
        properties: {
          key: 'forms',
          value,
          message: `The server answered without a list of forms. ${SEE_WORDS}. If it is another server: ${CHECK_ADDRESS}`,
        },
      })),
    ] as IAuthenticateRuleResponseCode[],
  };
}

/** Adds the API key, and forbids redirects. @throws UserError when the credential is wrong, or another server could read the key */
async function addApiKey(
  credentials: ICredentialDataDecryptedObject,
  options: AnyRequestOptions,
): Promise<IHttpRequestOptions> {
  const workspace = workspaceUrl(credentials);
  const key = apiKeyOf(credentials);
  if (key === '') throw new UserError("The credential's 'API Key' is empty");
  const elsewhere = targetsOf(options).find((target) => target !== workspace);
  if (elsewhere !== undefined) {
    throw new UserError(
      `The API key was not sent: this credential belongs to ${workspace}, and the request goes to ${elsewhere}. Use it for addresses of its own workspace only`,
    );
  }
  // Only for neetoform.com: a staging or local server may have a certificate of its own.
  if (new URL(workspace).hostname.endsWith('.neetoform.com') && trustsOtherCertificates(options)) {
    throw new UserError(
      `The API key was not sent: with 'Ignore SSL Issues' or a CA certificate of your own, a proxy between n8n and ${workspace} could read it. Switch these off. If your network has such a proxy, let n8n trust it with NODE_EXTRA_CA_CERTS`,
    );
  }
  options.headers = { Accept: 'application/json', ...options.headers, 'X-Api-Key': key };
  options.disableFollowRedirect = true;
  options.followRedirect = false;
  options.followAllRedirects = false;
  return options;
}

/** Lists the origins to which a request could go. */
function targetsOf({ url, uri, baseURL }: AnyRequestOptions): string[] {
  const addresses = [url, uri].filter((address): address is string => Boolean(address));
  // Without an address, the request goes to the base URL.
  return (addresses.length > 0 ? addresses : ['']).map(
    (address) => parseUrl(address, baseURL || undefined)?.origin ?? 'an address that cannot be read',
  );
}

function trustsOtherCertificates(options: AnyRequestOptions): boolean {
  const { skipSslCertificateValidation, rejectUnauthorized, agentOptions } = options;
  return (
    Boolean(skipSslCertificateValidation) ||
    rejectUnauthorized === false ||
    agentOptions?.rejectUnauthorized === false ||
    agentOptions?.ca !== undefined
  );
}

function onStatus(status: number, message: string): IAuthenticateRuleResponseCode {
  return { type: 'responseCode', properties: { value: status, message } };
}
