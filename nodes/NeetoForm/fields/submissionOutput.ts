import type { INodeProperties } from 'n8n-workflow';

/** What a submission's item looks like; the same in node and trigger. */
export const outputField: INodeProperties = {
  displayName: 'Output',
  name: 'output',
  type: 'options',
  options: [
    {
      name: 'Answers Only',
      value: 'answers',
      description: 'The answers alone, one field per question: made for a spreadsheet row',
    },
    {
      name: 'Raw',
      value: 'raw',
      description: "The service's own data, untouched, with the respondent's browser and IP address",
    },
    {
      name: 'Simplified',
      value: 'simplified',
      description: 'ID, time, the answers by question, and the custom columns of the workspace',
    },
  ],
  default: 'simplified',
  description: 'What each item holds',
};

export const answerKeyOption: INodeProperties = {
  displayName: 'Answer Names',
  name: 'answerKey',
  type: 'options',
  options: [
    { name: 'Question Label', value: 'label', description: 'Easy to read, but changes when the question is reworded' },
    { name: 'Question Slug', value: 'slug', description: 'Stays the same when the question is reworded' },
  ],
  default: 'label',
  description: 'What the answers are named by. Has no effect on raw output.',
};

export const includeSkippedOption: INodeProperties = {
  displayName: 'Include Skipped Questions',
  name: 'includeSkipped',
  type: 'boolean',
  default: false,
  description:
    'Whether to include questions without an answer as null, so that every item has the same fields. Has no effect on raw output.',
};

/** An agent is given text alone: files would be fetched for nothing. */
const notForAgents: INodeProperties['displayOptions'] = { hide: { '@tool': [true] } };

export const downloadFilesOption: INodeProperties = {
  displayName: 'Download Files',
  name: 'downloadFiles',
  type: 'boolean',
  default: false,
  displayOptions: notForAgents,
  description:
    'Whether to download the files in the answers and attach them to the item as binary data, named by question and number: Resume_1, Resume_2',
};

export const maxFileSizeOption: INodeProperties = {
  displayName: 'Max File Size (MB)',
  name: 'maxFileSize',
  type: 'number',
  typeOptions: { minValue: 0 },
  default: 10,
  displayOptions: notForAgents,
  description: 'How large a downloaded file may be. A larger one is left out, and the item says so.',
};
