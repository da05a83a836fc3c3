import type { INodeProperties } from 'n8n-workflow';

export const submittedAfterFilter: INodeProperties = {
  displayName: 'Submitted After',
  name: 'submittedAfter',
  type: 'dateTime',
  default: '',
  description:
    "Only submissions made at this time or later. A time without a time zone is in the workflow's time zone; a date alone means 00:00 UTC.",
};

export const submittedBeforeFilter: INodeProperties = {
  displayName: 'Submitted Before',
  name: 'submittedBefore',
  type: 'dateTime',
  default: '',
  description:
    "Only submissions made before this time. A time without a time zone is in the workflow's time zone; a date alone means 00:00 UTC.",
};

export const searchFilter: INodeProperties = {
  displayName: 'Search',
  name: 'search',
  type: 'string',
  default: '',
  placeholder: 'e.g. jane@example.com',
  description:
    'Words that must all be in the ID or the answers of a submission, in any order, in upper or lower case. Submissions are read until Limit of them match.',
};
