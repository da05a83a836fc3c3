import { hostOf, isLoopback, parseUrl } from '../api/workspaceUrl';

/** Where files may be downloaded from. */
export interface FileHosts {
  /** A URL. */
  workspace: string;
  /** As `parseHost` returns them. */
  allowedHosts: string[];
}

const SERVICE_HOSTS = '*.neetoform.com';

/** Any bucket of Amazon S3: the name of the service's own bucket is not known. */
const OBJECT_STORE = /\.s3(?:\.[a-z0-9-]+)?\.amazonaws\.com$/;

const MAX_LENGTH = 8_000;

/**
 * Says why a file's address must not be requested. A respondent may have written the address, and must not choose where n8n connects. So its
 * host must be the workspace, the service, or allowed by the user. A redirect may also lead to the service's object store.
 *
 * @returns what is wrong, without a period at the end; undefined when the address may be requested
 */
export function validateFileAddress(
  address: string,
  source: 'answer' | 'redirect',
  hosts: FileHosts,
): string | undefined {
  if (address.length > MAX_LENGTH) return `its address is longer than ${MAX_LENGTH} characters`;
  const url = parseUrl(address);
  if (url === undefined || hostOf(url) === '') return 'its address is not a web address';
  const host = hostOf(url);
  if (url.username + url.password !== '') return `its address contains a user name or password (${host})`;
  if (url.origin === parseUrl(hosts.workspace)?.origin) return undefined;
  const isAllowed = [SERVICE_HOSTS, ...hosts.allowedHosts].some((pattern) => matchesHost(host, pattern));
  if (!isAllowed && !(source === 'redirect' && isObjectStore(url, hosts))) {
    const which = source === 'redirect' ? `its server redirects to ${host}, which` : host;
    return `${which} is not in 'Allowed File Hosts'. Add it there if you trust it`;
  }
  return url.protocol === 'https:' || isOnThisComputer(url) ? undefined : `its address is not https (${host})`;
}

/** Whether an address is in the service's object store. A workspace on this computer, as in tests, has its object store here, too. */
function isObjectStore(url: URL, { workspace }: FileHosts): boolean {
  if (OBJECT_STORE.test(hostOf(url))) return true;
  const workspaceHost = parseUrl(workspace)?.hostname ?? '';
  return isLoopback(workspaceHost) && isOnThisComputer(url);
}

function isOnThisComputer({ hostname, protocol }: URL): boolean {
  return isLoopback(hostname) && /^https?:$/.test(protocol);
}

/** @param pattern a host, or `*.example.com` for all subdomains of example.com, but not for example.com itself */
function matchesHost(host: string, pattern: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}
