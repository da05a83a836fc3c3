import { UserError } from 'n8n-workflow';
import { listOfTexts, requireNumber } from '../parameters';
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
 * @param parameter returns a parameter's value by its path, or the fallback
 * @throws UserError when a value makes no sense
 */
export function parseDownloadSettings(parameter: (path: string, fallback: unknown) => unknown): DownloadSettings {
  const label = 'Allowed File Hosts';
  const maxBytes = requireNumber('Max File Size (MB)', parameter('options.maxFileSizeMb', 10), 0) * MEGABYTE;
  const allowedHosts = listOfTexts(label, parameter('options.allowedFileHosts', '')).map((entry) => {
    const host = parseHost(entry);
    if (host !== undefined) return host;
    throw new UserError(`'${label}' has an entry that is not a host name: ${entry}`, {
      description: 'Enter names such as files.example.com, or *.example.com for all subdomains, separated by commas.',
    });
  });
  return { maxBytes, allowedHosts };
}
