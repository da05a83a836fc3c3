import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { formLocatorTo } from '../../fields/formLocator';
import { orderOption, returnAllAndLimit } from '../../fields/paging';
import { showOnlyFor } from '../../fields/scope';
import {
  allowedFileHostsOption,
  answerKeyOption,
  downloadFilesOption,
  includeSkippedOption,
  maxFileSizeOption,
  outputField,
  questionsOption,
} from '../../fields/submissionOutput';
import { many } from '../../operations/many';
import { maxFileSize, presentSubmissions, submittedAfter, withinDates } from '../../operations/submissions';

export const getManySubmissions: INodePropertyOptions = {
  name: 'Get Many',
  value: 'getAll',
  action: 'Get many submissions',
  description: 'Get the submissions of a form with their answers',
  routing: {
    request: { method: 'GET' },
    operations: {
      pagination: many({
        about: { what: 'form', id: 'formId', parameter: 'Form' },
        list: 'submissions',
        pageParameter: 'page',
        prepare: [submittedAfter, maxFileSize],
        select: withinDates,
        present: presentSubmissions,
      }),
    },
  },
};

export const getManySubmissionsFields: INodeProperties[] = showOnlyFor('submission', 'getAll', [
  formLocatorTo('/submissions'),
  ...returnAllAndLimit,
  outputField,
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    placeholder: 'Add Filter',
    default: {},
    options: [
      {
        displayName: 'Submitted After',
        name: 'submittedAfter',
        type: 'dateTime',
        default: '',
        description:
          "Only submissions made at this time or later. A time without time zone is in the workflow's time zone; a date alone means 00:00 UTC.",
      },
      {
        displayName: 'Submitted Before',
        name: 'submittedBefore',
        type: 'dateTime',
        default: '',
        description:
          "Only submissions made before this time. A time without time zone is in the workflow's time zone; a date alone means 00:00 UTC.",
      },
    ],
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: [
      allowedFileHostsOption,
      answerKeyOption,
      downloadFilesOption,
      includeSkippedOption,
      maxFileSizeOption,
      orderOption,
      questionsOption,
    ],
  },
]);
