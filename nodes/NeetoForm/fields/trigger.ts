import type { INodeProperties } from 'n8n-workflow';
import { formLocator } from './formLocator';
import type { ChoiceField } from './reader';

// n8n's node panel makes an entry of each choice of a field with this label.
export const triggerOnField: ChoiceField<'allActive' | 'one' | 'several'> = {
  displayName: 'Trigger On',
  name: 'triggerOn',
  type: 'options',
  noDataExpression: true,
  options: [
    {
      name: 'All Active Forms',
      value: 'allActive',
      action: 'On new submission in every active form',
      description: 'All forms of the workspace that are not archived. New forms are included automatically.',
    },
    {
      name: 'One Form',
      value: 'one',
      action: 'On new submission',
      description: 'One form, chosen from the list or by its URL or ID',
    },
    {
      name: 'Several Forms',
      value: 'several',
      action: 'On new submission in several forms',
      description: 'Several forms, chosen from the list',
    },
  ],
  default: 'one',
};

export const watchedFormField: INodeProperties = {
  ...formLocator,
  description: 'The form whose new submissions start the workflow',
  displayOptions: { show: { triggerOn: ['one'] } },
};

export const watchedFormsField: INodeProperties = {
  displayName: 'Form Names or IDs',
  name: 'formIds',
  type: 'multiOptions',
  typeOptions: { loadOptionsMethod: 'getForms' },
  default: [],
  required: true,
  displayOptions: { show: { triggerOn: ['several'] } },
  description:
    'The forms whose new submissions start the workflow. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

export const maxSubmissionsOption: INodeProperties = {
  displayName: 'Max Submissions per Poll',
  name: 'maxSubmissions',
  type: 'number',
  typeOptions: { minValue: 1 },
  default: 1000,
  description: 'Maximum number of submissions to return per poll. Later polls return the rest.',
};

export const startFromOption: INodeProperties = {
  displayName: 'Start From',
  name: 'startFrom',
  type: 'dateTime',
  default: '',
  description:
    'When the workflow is published for the first time, also return the submissions made since this time. If not set, only new ones.',
};
