import type { INodeProperties } from 'n8n-workflow';

/** The range of time in which submissions were made. */
export const submittedFilters: INodeProperties = {
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
        "Only submissions made at this time or later. A time without a time zone is in the workflow's time zone; a date alone means 00:00 UTC.",
    },
    {
      displayName: 'Submitted Before',
      name: 'submittedBefore',
      type: 'dateTime',
      default: '',
      description:
        "Only submissions made before this time. A time without a time zone is in the workflow's time zone; a date alone means 00:00 UTC.",
    },
  ],
};
