import { FORM } from '../../api/endpoints';
import { parseForm } from '../../api/parse';
import { formLocator } from '../../fields/formLocator';
import { single } from '../../operations/single';
import type { OperationDescription } from '../describeResource';

export const getForm: OperationDescription = {
  option: {
    name: 'Get',
    value: 'get',
    action: 'Get form',
    description: 'Get a form with its questions',
  },
  route: { method: 'GET', url: FORM },
  run: single({ item: parseForm }),
  fields: [formLocator],
};
