import { UserError } from 'n8n-workflow';
import { hostOf, parseUrl } from '../api/workspaceUrl';
import { allowedFileHostsOption, maxFileSizeOption } from '../fields/submissionOutput';
import type { FieldReader } from './reader';
import { requirePositiveNumber, splitTexts } from './values';

export const MEGABYTE = 1024 * 1024;

/** Reads the options of Download Files. @throws UserError when the size is not more than 0, or an entry is not a host name */
export function parseDownloadSettings(read: FieldReader) {
  const options = read.within('options');
  const maxBytes = options.value(maxFileSizeOption, requirePositiveNumber) * MEGABYTE;
  const allowedHosts = options.value(allowedFileHostsOption, splitTexts).map((entry) => {
    const host = parseHost(entry);
    if (host !== undefined) return host;
    throw new UserError(`'${allowedFileHostsOption.displayName}' has an entry that is not a host name: ${entry}`, {
      description: 'Enter names such as files.example.com, or *.example.com for all subdomains, separated by commas.',
    });
  });
  return { maxBytes, allowedHosts };
}

/** Reads an entry of Allowed File Hosts, such as `files.example.com` or `https://*.example.com/`. @returns undefined when it is not a host */
export function parseHost(text: string): string | undefined {
  const [, wildcard = '', host = ''] = /^(?:https?:\/\/)?(\*\.)?([^/*@?#\\]+)\/?$/i.exec(text) ?? [];
  // If the text does not match, `host` is '', and `https://` alone is no address.
  const url = parseUrl(`https://${host}`);
  return url && wildcard + hostOf(url);
}
