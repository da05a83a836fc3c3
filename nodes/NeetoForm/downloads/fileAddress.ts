import { isLoopback } from '../api/workspaceUrl';

/** Names that lead into a network rather than to the internet: RFC 6761, 6762, 7686 and 8375, and what networks call themselves. */
const INSIDE = /(?:^|\.)(?:arpa|corp|home|internal|intranet|lan|local|localdomain|localhost|onion|private|test)$/;

/** What names of the internet look like, in the spelling that URL parsers give them. */
const NAME = /^(?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]*$/;

/** URL parsers spell every notation of an IP address in one of these two ways. */
const IP_ADDRESS = /^(?:\d+(?:\.\d+){3}|\[.*\])$/;

/**
 * Finds why a file's address is not opened. It stands in an answer, so a respondent may have written it: it must not make n8n ask
 * around in its own network. A name that leads there is beyond this: only n8n sees what a name stands for.
 *
 * @param workspace the workspace's own address: one on this computer, as in tests, may have its files here too
 * @returns what is wrong, to follow "its address"; undefined when nothing is
 */
export function validateFileAddress(address: string, workspace: string): string | undefined {
  if (!URL.canParse(address)) return 'is not a web address';
  const { protocol, hostname, port, username, password } = new URL(address);
  if (username + password !== '') return 'holds a user name or password';
  const isHome = URL.canParse(workspace) && isLoopback(new URL(workspace).hostname);
  if (isHome && isLoopback(hostname) && /^https?:$/.test(protocol)) return undefined;
  if (protocol !== 'https:') return 'is not https';
  const host = hostname.replace(/\.+$/, '');
  if (IP_ADDRESS.test(host)) return 'is that of a computer, without a name';
  if (!host.includes('.') || INSIDE.test(host)) return 'leads into a private network';
  if (!NAME.test(host)) return 'is not a web address';
  return port === '' ? undefined : 'has a port of its own';
}
