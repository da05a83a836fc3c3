import type { INodeExecutionData } from 'n8n-workflow';
import { FORM } from '../../api/endpoints';
import { parseForm } from '../../api/parse';
import { formLocator } from '../../fields/formLocator';
import { findForm } from '../../operations/findForm';
import { defineOperation, type Operation } from '../../operations/operation';
import type { OperationDescription } from '../describeResource';

async function get(operation: Operation): Promise<INodeExecutionData[]> {
  const target = await findForm(operation);
  return [{ json: await operation.send({ target }, parseForm) }];
}

export const getForm: OperationDescription = {
  option: {
    name: 'Get',
    value: 'get',
    action: 'Get form',
    description: 'Get a form with its questions',
  },
  route: { method: 'GET', url: FORM },
  run: defineOperation(get),
  fields: [formLocator],
};
