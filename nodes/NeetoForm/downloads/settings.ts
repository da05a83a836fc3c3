import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { MEGABYTE } from './messages';

/**
 * How large a file may be, from the option that node and trigger share.
 *
 * @param parameter gives a parameter's value by its path, or the fallback
 * @throws NodeOperationError when it is not more than nothing
 */
export function maxBytesOf(node: INode, parameter: (path: string, fallback: number) => unknown): number {
  const megabytes = Number(parameter('options.maxFileSize', 10));
  if (megabytes > 0) return megabytes * MEGABYTE;
  throw new NodeOperationError(node, "'Max File Size (MB)' is not more than 0", {
    description: 'Enter how many megabytes a file may have at most, such as 10.',
  });
}
