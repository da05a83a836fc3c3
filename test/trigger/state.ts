import type { IDataObject } from 'n8n-workflow';
import { systemClock } from '../../nodes/NeetoForm/api/clock';
import { StateStore } from '../../nodes/NeetoForm/polling/stateStore';
import type { TriggerState } from '../../nodes/NeetoForm/polling/state';
import { isObject, placeholderNode } from '../support/engine/workflow';

/**
 * What the next poll of a trigger would continue from.
 *
 * @param staticData of the whole workflow
 * @param workspace its address
 */
export function readState(
  staticData: IDataObject,
  { id, name }: { id: string; name: string },
  workspace: string,
): TriggerState | undefined {
  const getWorkflowStaticData = (type: string): IDataObject => {
    const data = staticData[type === 'node' ? `node:${name}` : 'global'];
    return isObject(data) ? data : {};
  };
  const session = {
    node: placeholderNode(name, { id }),
    key: '',
    clock: systemClock,
    workspace,
    context: { getWorkflowStaticData },
  };
  return new StateStore(session).state;
}
