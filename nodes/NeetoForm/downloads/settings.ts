import { UserError } from 'n8n-workflow';
import type { FieldReader } from '../parameters/reader';
import { requirePositiveNumber, requireTexts } from '../parameters/values';
import { allowedFileHostsOption, maxFileSizeOption } from '../fields/submissionOutput';
import { parseHost } from './fileAddress';

export const MEGABYTE = 1024 * 1024;

/** Reads the options of Download Files, for when it is on: a value that is not used must not fail. @throws UserError */
export function parseDownloadSettings(read: FieldReader) {
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
