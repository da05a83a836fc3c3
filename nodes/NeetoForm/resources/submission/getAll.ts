import { SUBMISSIONS } from '../../api/endpoints';
import { formLocator } from '../../fields/formLocator';
import { returnAllAndLimit, sortField } from '../../fields/paging';
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
} from '../../fields/submissionOutput';
import { submissionFilters } from '../../fields/submissionFilters';
import { list } from '../../operations/list';
import { submissionItems, submissionsRequest } from '../../operations/submissions';
import type { OperationDescription } from '../describeResource';

export const getManySubmissions: OperationDescription = {
  option: {
    name: 'Get Many',
    value: 'getAll',
    action: 'Get many submissions',
    description: 'Get the submissions of a form with their answers',
    routing: {
      request: { method: 'GET', url: SUBMISSIONS },
      operations: {
        pagination: list({
          key: 'submissions',
          request: submissionsRequest,
          items: submissionItems,
        }),
      },
    },
  },
  fields: [
    formLocator,
    ...returnAllAndLimit,
    outputField,
    submissionFilters,
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
        maxFileSizeOption,
        questionsOption,
      ],
    },
    sortField,
  ],
};
