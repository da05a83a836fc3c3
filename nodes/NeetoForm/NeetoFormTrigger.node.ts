import type { INodeExecutionData, INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { CREDENTIAL } from './api/credential';
import { formLocator } from './fields/formLocator';
import {
  answerKeyOption,
  downloadFilesOption,
  includeSkippedOption,
  maxFileSizeOption,
  outputField,
} from './fields/submissionOutput';
import { getForms } from './listSearch/getForms';
import { searchForms } from './listSearch/searchForms';
import { poll } from './polling/poll';

export class NeetoFormTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'NeetoForm Trigger',
    name: 'neetoFormTrigger',
    icon: { light: 'file:../../icons/neetoForm.svg', dark: 'file:../../icons/neetoForm.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '=On new submission',
    description: 'Starts the workflow when a NeetoForm form has a new submission',
    eventTriggerDescription: 'Fill in the form to start the workflow',
    activationMessage:
      'Each new submission now starts this workflow, once. Submissions made before are left alone, unless Start From says otherwise.',
    defaults: { name: 'NeetoForm Trigger' },
    polling: true,
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: CREDENTIAL, required: true }],
    properties: [
      {
        displayName: 'Watch',
        name: 'watch',
        type: 'options',
        noDataExpression: true,
        options: [
          {
            name: 'Every Active Form',
            value: 'active',
            description: 'All forms of the workspace that are not archived; a new one joins by itself',
          },
          { name: 'One Form', value: 'one', description: 'One form, chosen from the list or by its address or ID' },
          { name: 'Several Forms', value: 'several', description: 'Several forms, chosen from the list' },
        ],
        default: 'one',
        description: 'Which forms the workflow waits for',
      },
      {
        ...formLocator,
        description: 'The form whose new submissions start the workflow',
        displayOptions: { show: { watch: ['one'] } },
      },
      {
        displayName: 'Form Names or IDs',
        name: 'formIds',
        type: 'multiOptions',
        typeOptions: { loadOptionsMethod: 'getForms' },
        default: [],
        required: true,
        displayOptions: { show: { watch: ['several'] } },
        description:
          'The forms whose new submissions start the workflow. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
      },
      outputField,
      {
        displayName: 'Options',
        name: 'options',
        type: 'collection',
        placeholder: 'Add Option',
        default: {},
        options: [
          answerKeyOption,
          downloadFilesOption,
          includeSkippedOption,
          {
            displayName: 'Look-Back (Minutes)',
            name: 'lookback',
            type: 'number',
            typeOptions: { minValue: 0 },
            default: 15,
            description:
              'How late a submission may become visible after its own time and still be found. A form that was opened early and sent late needs this.',
          },
          maxFileSizeOption,
          {
            displayName: 'Max Submissions',
            name: 'maxSubmissions',
            type: 'number',
            typeOptions: { minValue: 1 },
            default: 1000,
            description: 'How many submissions one poll hands out at most. The rest is handed out by the next polls.',
          },
          {
            displayName: 'Start From',
            name: 'startFrom',
            type: 'dateTime',
            default: '',
            description:
              'Also hand out submissions made since this time when the workflow is published for the first time. Only new ones if not set.',
          },
        ],
      },
    ],
  };

  methods = { listSearch: { searchForms }, loadOptions: { getForms } };

  async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
    return await poll(this);
  }
}
