/** What a trigger finds out about the other nodes of its workflow. */

import type { IPollFunctions } from 'n8n-workflow';
import { isRecord, textOf } from '../json';
import { twinRefused } from './messages';
import type { PollSession } from './session';

/** n8n's context holds the whole workflow, though its interface does not say so. Where it does not, nothing is known: undefined. */
function nodesOf(context: IPollFunctions): Array<Record<string, unknown>> | undefined {
  const workflow: unknown = Reflect.get(context, 'workflow');
  return isRecord(workflow) && isRecord(workflow.nodes) ? Object.values(workflow.nodes).filter(isRecord) : undefined;
}

/** The IDs of all nodes of the workflow; undefined when they are not known. */
export function nodeIdsOf(context: IPollFunctions): Set<string> | undefined {
  const nodes = nodesOf(context);
  return nodes && new Set(nodes.map(({ id }) => textOf(id)));
}

/**
 * Refuses two triggers with one node ID, as an import by API or git can leave them: what each has delivered is filed under it. n8n's own
 * scheduler does not poll a workflow that has such nodes, so this is for its timers.
 *
 * @throws NodeOperationError
 */
export function requireOwnId({ context, node }: PollSession): void {
  const twin = nodesOf(context)?.find(
    ({ id, type, name, disabled }) => id === node.id && type === node.type && name !== node.name && disabled !== true,
  );
  if (twin !== undefined) throw twinRefused({ node }, textOf(twin.name));
}
