import { isLoopback, parseUrl } from '../api/workspaceUrl';

/** Where files may be downloaded from. */
export interface FileHosts {
  /** The workspace's own address. */
  workspace: string;
  /** Hosts that the user allowed, as `parseHost` returns them. */
  allowedHosts: string[];
}

const SERVICE_HOSTS = '*.neetoform.com';

/** Where the service keeps files: any bucket of Amazon S3, with or without a region. The name of the service's own bucket is not known. */
const OBJECT_STORE = /\.s3(?:\.[a-z0-9-]+)?\.amazonaws\.com$/;

/** How many characters an address may have. Real addresses of files are far shorter, signatures included. */
const MAX_ADDRESS = 8_000;

/**
 * Finds why a file's address must not be requested. A respondent may have written the address, and must not choose where n8n connects.
 * So the address in an answer has to be on the workspace's own address, on the service, or on a host that the user allowed. These servers may
 * redirect to one another, and to the service's object store.
 *
 * @param isRedirect whether a server redirected to the address; false for the address in the answer
 * @returns what is wrong, in words without a period at their end; undefined when the address may be requested
 */
export function validateFileAddress(address: string, hosts: FileHosts, isRedirect: boolean): string | undefined {
  if (address.length > MAX_ADDRESS) return `its address is longer than ${MAX_ADDRESS} characters`;
  const url = parseUrl(address);
  if (url === undefined || hostOf(url) === '') return 'its address is not a web address';
  const host = hostOf(url);
  if (url.username + url.password !== '') return `its address contains a user name or password (${host})`;
  if (url.origin === parseUrl(hosts.workspace)?.origin) return undefined;
  if (!isAllowedHost(host, hosts) && !(isRedirect && isObjectStore(url, hosts))) {
    const which = isRedirect ? `its server redirects to ${host}, which` : host;
    return `${which} is not in 'Allowed File Hosts'. Add it there if you trust it`;
  }
  return url.protocol === 'https:' || isOnThisComputer(url) ? undefined : `its address is not https (${host})`;
}

/** Whether a host may be requested, no matter whether an answer or a redirect names it. */
function isAllowedHost(host: string, { allowedHosts }: FileHosts): boolean {
  return [SERVICE_HOSTS, ...allowedHosts].some((pattern) => matchesHost(host, pattern));
}

/** Whether an address is in the service's object store. A workspace on this computer, as in tests, has its object store here too. */
function isObjectStore(url: URL, { workspace }: FileHosts): boolean {
  if (OBJECT_STORE.test(hostOf(url))) return true;
  const workspaceHost = parseUrl(workspace)?.hostname ?? '';
  return isLoopback(workspaceHost) && isOnThisComputer(url);
}

/** Whether an address is a web address on this computer, where plain http is accepted, too. */
function isOnThisComputer({ hostname, protocol }: URL): boolean {
  return isLoopback(hostname) && /^https?:$/.test(protocol);
}

/**
 * Reads an entry of Allowed File Hosts: `files.example.com` or `*.example.com`, perhaps with `https://` before it and a `/` behind it.
 *
 * @returns the entry in the spelling that `validateFileAddress` compares; undefined when it is not a host
 */
export function parseHost(text: string): string | undefined {
  const [, wildcard = '', host = ''] = /^(?:https?:\/\/)?(\*\.)?([^/*@?#\\]+)\/?$/i.exec(text) ?? [];
  // If the text does not match, `host` is '', and `https://` alone is no address.
  const url = parseUrl(`https://${host}`);
  return url && wildcard + hostOf(url);
}

/** The host in the spelling that is compared: with a port that is not the scheme's default, and without the dots at its end. */
function hostOf({ hostname, port }: URL): string {
  let end = hostname.length;
  while (hostname.endsWith('.', end)) end--;
  return hostname.slice(0, end) + (port === '' ? '' : `:${port}`);
}

/** @param pattern a host, or `*.` and a host, which stands for all its subdomains but not for itself */
function matchesHost(host: string, pattern: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}
