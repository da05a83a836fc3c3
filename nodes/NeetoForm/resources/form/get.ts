import { FORM } from '../../api/endpoints';
import { readForm } from '../../api/service';
import { findForm } from '../../execution/findForm';
import { formLocator } from '../../fields/formLocator';
import type { OperationDescription } from '../describeResource';

export const getForm: OperationDescription = {
  name: 'Get',
  value: 'get',
  action: 'Get form',
  description: 'Get a form with its questions',
  route: { method: 'GET', url: FORM },
  fields: [formLocator],
  run: async (operation) => {
    const target = await findForm(operation);
    return [{ json: await readForm(operation.get, target) }];
  },
};
