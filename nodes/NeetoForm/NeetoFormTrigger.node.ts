import type { INodeExecutionData, INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { CREDENTIAL } from './api/workspaceUrl';
import { formLocator } from './fields/formLocator';
import {
  addTextOption,
  allowedFileHostsOption,
  answerNamesOption,
  downloadFilesOption,
  includeCustomColumnsOption,
  includeSkippedQuestionsOption,
  maxFileSizeOption,
  outputField,
  questionsOption,
} from './fields/submissionOutput';
import { getForms, searchForms } from './methods/forms';
import { getQuestions } from './methods/questions';
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
    eventTriggerDescription: 'Submit the form once. The test event is its newest submission.',
    activationMessage:
      "New submissions now start this workflow. After a pause, those that arrived meanwhile follow. Older ones run only with 'Start From'.",
    defaults: { name: 'NeetoForm Trigger' },
    polling: true,
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: CREDENTIAL, required: true }],
    hints: [
      {
        message: 'Submissions that arrive between two polls start one execution together, with one item each.',
        location: 'outputPane',
        whenToDisplay: 'afterExecution',
      },
      {
        message: "Raw items contain the respondent's IP address, which is personal data.",
        type: 'warning',
        location: 'outputPane',
        displayCondition: '={{ $parameter["output"] === "raw" }}',
      },
    ],
    builderHint: {
      searchHint:
        'Starts a workflow when someone submits a NeetoForm form. It polls, so it needs no public URL. Choose the form in formId (triggerOn: one), several forms in formIds (triggerOn: several), or all active forms (triggerOn: allActive). Answers are in $json.answers by question label, or use output: row for one flat column per question.',
      relatedNodes: [
        {
          nodeType: 'n8n-nodes-neetoform.neetoForm',
          relationHint: 'Reads earlier submissions, forms and team members of the same workspace',
        },
        { nodeType: 'n8n-nodes-base.dataTable', relationHint: 'Stores each submission as a row; use output: row' },
      ],
    },
    properties: [
      {
        // n8n's node panel makes an entry of each choice of a field with this label.
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
            name: 'All Active Forms',
            value: 'allActive',
            action: 'On new submission in every active form',
            description: 'All forms of the workspace that are not archived. New forms are included automatically.',
          },
        ],
        default: 'one',
        description: 'The forms whose new submissions start the workflow',
      },
      {
        ...formLocator,
        description: 'The form whose new submissions start the workflow',
        displayOptions: { show: { triggerOn: ['one'] } },
      },
      {
        displayName: 'Form Names or IDs',
        name: 'formIds',
        type: 'multiOptions',
        typeOptions: { loadOptionsMethod: 'getForms' },
        default: [],
        required: true,
        displayOptions: { show: { triggerOn: ['several'] } },
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
          addTextOption,
          allowedFileHostsOption,
          answerNamesOption,
          downloadFilesOption,
          includeCustomColumnsOption,
          includeSkippedQuestionsOption,
          {
            displayName: 'Look-Back (Minutes)',
            name: 'lookback',
            type: 'number',
            typeOptions: { minValue: 0 },
            default: 15,
            description: 'Also find submissions that appear up to this many minutes late',
          },
          maxFileSizeOption,
          {
            displayName: 'Max Submissions',
            name: 'maxSubmissions',
            type: 'number',
            typeOptions: { minValue: 1 },
            default: 1000,
            description: 'Maximum number of submissions to return per poll. Later polls return the rest.',
          },
          questionsOption,
          {
            displayName: 'Start From',
            name: 'startFrom',
            type: 'dateTime',
            default: '',
            description:
              'When the workflow is published for the first time, also return the submissions made since this time. If not set, only new ones.',
          },
        ],
      },
    ],
  };

  methods = { listSearch: { searchForms }, loadOptions: { getForms, getQuestions } };

  async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
    return await poll(this);
  }
}
