import type { INodeProperties } from 'n8n-workflow';
import { formLocator } from './formLocator';
import { choicesFrom, type ChoiceField } from './shapes';
import { allOutputOptions, outputOptions } from './submissionOutput';

// If a field has the label "Trigger On", n8n's node panel shows each of its options as a trigger.
export const triggerOnField: ChoiceField<'one' | 'several' | 'allActive'> = {
  displayName: 'Trigger On',
  name: 'triggerOn',
  type: 'options',
  noDataExpression: true,
  options: [
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
    {
      name: 'Whole Workspace',
      value: 'allActive',
      action: 'On new submission in the whole workspace',
      description: 'All active forms, also those created later',
    },
  ],
  default: 'one',
};

export const watchedFormField: INodeProperties = {
  ...formLocator,
  // The hint of By ID says that it takes a title. The trigger takes none: the form could be renamed, and another form could get its title.
  modes: formLocator.modes?.map((mode) => (mode.name === 'id' ? { ...mode, hint: undefined } : mode)),
  description: 'The form whose new submissions start the workflow',
  displayOptions: { show: { triggerOn: ['one'] } },
};

export const watchedFormsField: INodeProperties = {
  displayName: 'Forms',
  name: 'formIds',
  type: 'multiOptions',
  typeOptions: choicesFrom('getForms'),
  default: [],
  required: true,
  displayOptions: { show: { triggerOn: ['several'] } },
  description:
    'The forms whose new submissions start the workflow. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

export const watchedFields = [triggerOnField, watchedFormField, watchedFormsField];

/** Questions can be chosen where one form is. */
export const watchedOutputOptions: INodeProperties[] = allOutputOptions.map((option) =>
  option === outputOptions.questionsToInclude
    ? { ...option, displayOptions: { show: { '/triggerOn': ['one'] } } }
    : option,
);

export const pollOptions = {
  maxSubmissions: {
    displayName: 'Max Submissions per Poll',
    name: 'maxSubmissions',
    type: 'number',
    typeOptions: { minValue: 1 },
    default: 1000,
    description: 'Maximum number of submissions to return per poll. Later polls return the rest.',
  },
  startFrom: {
    displayName: 'Start From',
    name: 'startFrom',
    type: 'dateTime',
    default: '',
    description:
      'When the workflow is published for the first time, also return the submissions made since this time. If not set, only new ones.',
  },
} satisfies Record<string, INodeProperties>;
