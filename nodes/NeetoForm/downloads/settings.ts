import { UserError } from 'n8n-workflow';
import type { FieldReader } from '../parameters/reader';
import { requirePositiveNumber, requireTexts } from '../parameters/values';
import { allowedFileHostsOption, maxFileSizeOption } from '../fields/submissionOutput';
import { parseHost } from './fileAddress';

export const MEGABYTE = 1024 * 1024;

/** What the user set about downloads. */
export interface DownloadSettings {
  maxBytes: number;
  allowedHosts: string[];
}

/**
 * Reads the options that node and trigger share. Call it only when Download Files is on: a value that is not used must not fail.
 *
 * @throws UserError when a value makes no sense
 */
export function parseDownloadSettings(read: FieldReader): DownloadSettings {
  const options = read.within('options');
  const maxBytes = options.required(maxFileSizeOption, requirePositiveNumber) * MEGABYTE;
  const allowedHosts = options.required(allowedFileHostsOption, requireTexts).map((entry) => {
    const host = parseHost(entry);
    if (host !== undefined) return host;
    throw new UserError(`'${allowedFileHostsOption.displayName}' has an entry that is not a host name: ${entry}`, {
      description: 'Enter names such as files.example.com, or *.example.com for all subdomains, separated by commas.',
    });
  });
  return { maxBytes, allowedHosts };
}
