import { isLoopback } from '../api/workspaceUrl';

/** Where files may be downloaded from. */
export interface FileHosts {
  /** The workspace's own address. */
  workspace: string;
  /** Hosts that the user allowed, as `parseHost` returns them. */
  allowedHosts: string[];
}

const SERVICE_HOSTS = '*.neetoform.com';

/** Where the service keeps files: Amazon S3, with or without a region. */
const OBJECT_STORE = /\.s3(?:\.[a-z0-9-]+)?\.amazonaws\.com$/;

/** Longer than any address that leads to a file. */
const MAX_ADDRESS = 8_000;

/**
 * Finds why a file's address is not requested. A respondent may have written it, and must not choose where n8n connects: it has to be
 * on the service or on an allowed host. These may redirect to one another and to the service's object store.
 * @returns a sentence without its period; undefined when the address may be requested
 */
export function validateFileAddress(address: string, hosts: FileHosts, isRedirect: boolean): string | undefined {
  if (address.length > MAX_ADDRESS) return `its address is longer than ${MAX_ADDRESS} characters`;
  const url = parseUrl(address);
  const host = url && hostOf(url);
  if (url === undefined || host === undefined || host === '') return 'its address is not a web address';
  if (url.username + url.password !== '') return `its address contains a user name or password (${host})`;
  const workspace = parseUrl(hosts.workspace);
  if (url.origin === workspace?.origin) return undefined;
  const isWorkspaceLocal = workspace !== undefined && isLoopback(workspace.hostname);
  const isLocal = isLoopback(url.hostname) && /^https?:$/.test(url.protocol);
  const isAllowed = [SERVICE_HOSTS, ...hosts.allowedHosts].some((pattern) => matchesHost(host, pattern));
  // A workspace on this computer, as in tests, has its object store here too.
  const isStore = OBJECT_STORE.test(host) || (isLocal && isWorkspaceLocal);
  if (!isAllowed && !(isRedirect && isStore)) {
    const which = isRedirect ? `its server redirects to ${host}, which` : host;
    return `${which} is not in 'Allowed File Hosts'. Add it there if you trust it`;
  }
  return url.protocol === 'https:' || isLocal ? undefined : `its address is not https (${host})`;
}

/** @returns a host, or `*.` and a host, as `validateFileAddress` compares it; undefined when the text is neither */
export function parseHost(text: string): string | undefined {
  const [, wildcard = '', host = ''] = /^(?:https?:\/\/)?(\*\.)?([^/*@?#\\]+)\/?$/i.exec(text) ?? [];
  const url = parseUrl(`https://${host}`);
  return url && wildcard + hostOf(url);
}

/** `URL.canParse` takes some texts for addresses that no URL can be made of. @param base what a relative address begins with */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** The host as it is compared: with its port if it has one of its own, without final dots. */
function hostOf({ hostname, port }: URL): string {
  let end = hostname.length;
  while (hostname.endsWith('.', end)) end--;
  return hostname.slice(0, end) + (port === '' ? '' : `:${port}`);
}

function matchesHost(host: string, pattern: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}
