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

const filtersOf = (options: INodeProperties[]): INodeProperties => ({
  displayName: 'Filters',
  name: 'filters',
  type: 'collection',
  placeholder: 'Add Filter',
  default: {},
  options,
});

/** The range of time in which submissions were made. */
export const submittedFilters = filtersOf([submittedAfterFilter, submittedBeforeFilter]);
