import type { INodeProperties } from 'n8n-workflow';
import { choicesFrom, textField, type ChoiceField } from './shapes';

export const outputField: ChoiceField<'raw' | 'row' | 'simplified'> = {
  displayName: 'Output',
  name: 'output',
  type: 'options',
  options: [
    {
      name: 'Raw',
      value: 'raw',
      description: "The service's own data, unchanged, with the respondent's browser and IP address",
    },
    {
      name: 'Row',
      value: 'row',
      description: 'One flat column per question, for tables, emails, conditions and CSV files',
    },
    {
      name: 'Simplified',
      value: 'simplified',
      description:
        'The answers in an object of their own, in which lists and postal addresses stay what they are, and the custom columns',
    },
  ],
  default: 'row',
  description: 'What each item contains',
};

/** Agents read only text. */
const notForAgents: INodeProperties['displayOptions'] = { hide: { '@tool': [true] } };

/** The options that `parseOutputOptions` reads. */
export const outputOptions = {
  addText: {
    displayName: 'Add Text',
    name: 'addText',
    type: 'boolean',
    default: false,
    description:
      'Whether to add all answers as <code>text</code>, one line each, and as <code>html</code>, a table, for emails and messages. Does not change raw output.',
  },
  answerNames: {
    displayName: 'Answer Names',
    name: 'answerNames',
    type: 'options',
    options: [
      {
        name: 'Column Name',
        value: 'columnName',
        description:
          'Such as full_name, for data tables and databases: at most 63 characters of a-z, 0-9 and _, a letter first',
      },
      {
        name: 'Question Label',
        value: 'label',
        description: 'Easy to read, but changes when the question is reworded',
      },
      { name: 'Question Slug', value: 'slug', description: 'Stays the same when the question is reworded' },
    ],
    default: 'label',
    description: 'What the answers are named by. Does not change raw output.',
  } satisfies ChoiceField<'columnName' | 'label' | 'slug'>,
  downloadFiles: {
    displayName: 'Download Files',
    name: 'downloadFiles',
    type: 'boolean',
    default: false,
    displayOptions: notForAgents,
    description:
      'Whether to download the files in the answers and attach them to the item as binary data, named by question and number: Resume_1, Resume_2',
  },
  includeCustomColumns: {
    displayName: 'Include Custom Columns',
    name: 'includeCustomColumns',
    type: 'boolean',
    default: false,
    displayOptions: { hide: { '/output': ['simplified', 'raw'] } },
    description:
      "Whether a row has the workspace's custom columns too. They are named by IDs, and only those with a value in one of the submissions appear.",
  },
  includeFormAndIds: {
    displayName: 'Include Form and IDs',
    name: 'includeFormAndIds',
    type: 'boolean',
    default: true,
    displayOptions: { hide: { '/output': ['simplified', 'raw'] } },
    description:
      'Whether a row ends with form_title, form_id and submission_id (default: on). Turn it off for tables with columns for created_at and the questions only.',
  },
  includeSkippedQuestions: {
    displayName: 'Include Skipped Questions',
    name: 'includeSkippedQuestions',
    type: 'boolean',
    default: true,
    description:
      'Whether to include questions without an answer as null, so that every item has the same fields (default: on). Does not change raw output.',
  },
  questionsToInclude: {
    displayName: 'Questions to Include',
    name: 'questionsToInclude',
    type: 'multiOptions',
    typeOptions: { ...choicesFrom('getQuestions'), loadOptionsDependsOn: ['formId.value'] },
    default: [],
    description:
      'The questions to return; all if empty. Does not change raw output. Choose from the list, or specify labels or slugs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
  },
} satisfies Record<string, INodeProperties>;

// With the path `/options.downloadFiles`, n8n would never show these options.
const withDownloads = { ...notForAgents, show: { downloadFiles: [true] } };

export const maxFileSizeOption: INodeProperties = {
  displayName: 'Max File Size (MB)',
  name: 'maxFileSizeMb',
  type: 'number',
  typeOptions: { minValue: 0 },
  default: 10,
  displayOptions: withDownloads,
  description: 'Files larger than this (default 10 MB) are skipped, and the item says so',
};

export const allowedFileHostsOption = textField(
  'Allowed File Hosts',
  'allowedFileHosts',
  'files.example.com, *.example.org',
  'Other hosts to download files from, separated by commas. *.example.org allows all its subdomains. Without this option, files are downloaded from neetoform.com only.',
  { displayOptions: withDownloads },
);

export const allOutputOptions = [...Object.values(outputOptions), allowedFileHostsOption, maxFileSizeOption];
