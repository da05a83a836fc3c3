import { isLoopback } from '../api/workspaceUrl';

/** Where files may be downloaded from. */
export interface FileHosts {
  /** The workspace's own address. */
  workspace: string;
  /** Hosts that the user allowed, as `parseHost` returns them. */
  allowedHosts: string[];
}

const SERVICE_HOSTS = '*.neetoform.com';

/** Names that lead into a network rather than to the internet: RFC 6761, 6762, 7686 and 8375, and what networks call themselves. */
const PRIVATE_NAME = /(?:^|\.)(?:arpa|corp|home|internal|intranet|lan|local|localdomain|localhost|onion|private|test)$/;

/** What names of the internet look like, in the spelling of URL parsers: no IP address, no port. */
const PUBLIC_NAME = /^(?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]*$/;

/**
 * Finds why a file's address is not requested. A respondent may have written it, and must not choose where n8n connects: the first
 * address has to be on the service or on an allowed host. Such a host may redirect to any public https name.
 *
 * @param isRedirect whether a host that was requested before redirects to this address
 * @returns a sentence without its period; undefined when the address may be requested
 */
export function validateFileAddress(address: string, hosts: FileHosts, isRedirect: boolean): string | undefined {
  if (!URL.canParse(address)) return 'its address is not a web address';
  const url = new URL(address);
  const host = hostOf(url);
  if (host === '') return 'its address is not a web address';
  if (url.username + url.password !== '') return `its address contains a user name or password (${host})`;
  const workspace = URL.canParse(hosts.workspace) ? new URL(hosts.workspace) : undefined;
  if (url.origin === workspace?.origin) return undefined;
  const isAllowed = [SERVICE_HOSTS, ...hosts.allowedHosts].some((pattern) => matchesHost(host, pattern));
  if (!isAllowed && !isRedirect) return `${host} is not in 'Allowed File Hosts'. Add it there if you trust it`;
  if (isLoopback(url.hostname) && /^https?:/.test(url.protocol)) {
    // A workspace on this computer, as in tests, may have its files here too.
    if (isAllowed || (workspace !== undefined && isLoopback(workspace.hostname))) return undefined;
  }
  if (url.protocol !== 'https:') return `its address is not https (${host})`;
  return isAllowed || isPublic(host) ? undefined : `its server redirects to a host that is not public (${host})`;
}

/** @returns a host, or `*.` and a host, as `validateFileAddress` compares it; undefined when the text is neither */
export function parseHost(text: string): string | undefined {
  const [, wildcard = '', host = ''] = /^(?:https?:\/\/)?(\*\.)?([^/*@?#\\]+)\/?$/i.exec(text) ?? [];
  return URL.canParse(`https://${host}`) ? wildcard + hostOf(new URL(`https://${host}`)) : undefined;
}

/** The host as it is compared: with its port if it has one of its own, without a final dot. */
function hostOf({ hostname, port }: URL): string {
  return hostname.replace(/\.+$/, '') + (port === '' ? '' : `:${port}`);
}

function matchesHost(host: string, pattern: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}

/** Whether a host is a name of the internet, on the usual port. A name that leads elsewhere is beyond this: only n8n resolves it. */
function isPublic(host: string): boolean {
  return PUBLIC_NAME.test(host) && !PRIVATE_NAME.test(host);
}
