import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';
import { textOf } from '../json';

export const CREDENTIAL = 'neetoFormApi';

const SUBDOMAIN = /^(?:https?:\/\/)?([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.neetoform\.com(?:\/\S*)?)?$/i;

/** The workspace's address, for places where n8n takes only an expression. It does not check the fields: `workspaceUrl` does. */
export const WORKSPACE_URL_EXPRESSION =
  '={{ ($credentials.baseUrl || "").trim() || ($credentials.subdomain || "").trim().replace(/^(?:https?:[/][/])?([^./]+).*$/i, "https://$1.neetoform.com") }}';

/** The only origin that may receive a credential's API key. @throws UserError when a field is wrong, or the key would be sent unencrypted */
export function workspaceUrl({ subdomain, baseUrl }: IDataObject): string {
  const base = textOf(baseUrl).trim();
  return base === '' ? urlOfSubdomain(textOf(subdomain).trim()) : urlOfBase(base);
}

/** The API key as it is sent. n8n's HTTP client leaves some characters out of a header, such as invisible ones that were copied. */
export function apiKeyOf({ apiKey }: IDataObject): string {
  return textOf(apiKey)
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '')
    .trim();
}

export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** Reads an address, which may be relative to `base`. @returns undefined when the text is not an address */
export function parseUrl(text: string, base?: string): URL | undefined {
  // Node.js 20 has no `URL.parse`, and its `URL.canParse` refuses hosts with letters such as `ß`.
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Returns the host without the dots at its end, and with the port unless it is the scheme's default. */
export function hostOf({ hostname, port }: URL): string {
  let end = hostname.length;
  while (hostname.endsWith('.', end)) end--;
  return hostname.slice(0, end) + (port === '' ? '' : `:${port}`);
}

function urlOfSubdomain(subdomain: string): string {
  if (subdomain === '') {
    throw new UserError(
      "The credential's 'Subdomain' is empty. Enter the first part of your workspace's address: acme for https://acme.neetoform.com",
    );
  }
  const name = SUBDOMAIN.exec(subdomain)?.[1];
  if (name === undefined) {
    throw new UserError(
      `The credential's 'Subdomain' is not a NeetoForm workspace: ${quoted(subdomain)}. Enter only the first part of your workspace's address: acme for https://acme.neetoform.com`,
    );
  }
  return `https://${name.toLowerCase()}.neetoform.com`;
}

function urlOfBase(baseUrl: string): string {
  const url = parseUrl(baseUrl);
  const isOriginOnly = url?.pathname === '/' && !/[?#@\\]/.test(baseUrl);
  if (!isOriginOnly) {
    throw new UserError(
      `The credential's 'Base URL' is not an address of a server: ${quoted(baseUrl)}. Enter scheme, host and port only, such as https://staging.example.com, or leave it empty`,
    );
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new UserError(
      `The credential's 'Base URL' would send the API key unencrypted: ${quoted(baseUrl)}. Use https, or plain http only for a server on this computer (http://127.0.0.1:4010)`,
    );
  }
  return url.origin;
}

function quoted(value: string): string {
  return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value);
}
