import type { INodeExecutionData, INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { CREDENTIAL } from './api/workspaceUrl';
import { optionsOf } from './fields/shapes';
import { outputField } from './fields/submissionOutput';
import { pollOptions, watchedFields, watchedOutputOptions } from './fields/trigger';
import { getForms, searchForms } from './methods/forms';
import { getQuestions } from './methods/questions';

export class NeetoFormTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'NeetoForm Trigger',
    name: 'neetoFormTrigger',
    icon: { light: 'file:../../icons/neetoForm.svg', dark: 'file:../../icons/neetoForm.dark.svg' },
    group: ['trigger'],
    version: 1,
    // `$parameter["formId"]` gives only the ID. The title of the chosen form is found only in the JSON of `$parameter`.
    subtitle:
      '={{ $parameter["triggerOn"] === "allActive" ? "Whole workspace" : $parameter["triggerOn"] === "several" ? $parameter["formIds"].length + " forms" : (JSON.parse(JSON.stringify($parameter)).formId?.cachedResultName || $parameter["formId"] || "On new submission") }}',
    description: 'Starts the workflow when a NeetoForm form has a new submission',
    eventTriggerDescription: "The test event is the form's newest submission, or a sample while there is none.",
    activationMessage:
      "New submissions now start this workflow within a minute, or as often as 'Poll Times' says. If you had unpublished it, it now delivers what arrived since then. At its first publication, it delivers older submissions only with 'Start From'.",
    defaults: { name: 'NeetoForm Trigger' },
    polling: true,
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: CREDENTIAL, required: true }],
    hints: [
      {
        message:
          'The test event is the newest submission. While there is none, it is a sample made from the questions, and <code>is_sample</code> is true. Submissions that arrive between two polls start one execution together, with one item each.',
        location: 'outputPane',
        whenToDisplay: 'beforeExecution',
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
        'Starts a workflow when someone submits a NeetoForm form. It polls, so it needs no public URL. Choose the form in formId (triggerOn: one), several forms in formIds (triggerOn: several), or the whole workspace with all active forms, also those created later (triggerOn: allActive). Each item is a flat row with one column per question label, created_at, form_title, form_id and submission_id; answerNames: columnName gives names for data tables; with includeFormAndIds off, an item has only created_at and the answers; addText adds all answers as text and as html. Publishing the workflow again delivers nothing twice.',
      relatedNodes: [
        {
          nodeType: 'n8n-nodes-neetoform.neetoForm',
          relationHint: 'Reads earlier submissions',
        },
        {
          nodeType: 'n8n-nodes-base.dataTable',
          relationHint: 'Stores each submission as a row; use answerNames: columnName, and turn includeFormAndIds off',
        },
      ],
    },
    properties: [...watchedFields, outputField, optionsOf([...watchedOutputOptions, ...Object.values(pollOptions)])],
  };

  methods = { listSearch: { searchForms }, loadOptions: { getForms, getQuestions } };

  async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
    // Loaded by the first poll, so that n8n starts faster.
    return await (await import('./polling/poll')).poll(this);
  }
}
