import type { INodeProperties } from 'n8n-workflow';
import { textField } from './shapes';

export const submittedAfterFilter = timeFilter('Submitted After', 'submittedAfter', 'made at this time or later');
export const submittedBeforeFilter = timeFilter('Submitted Before', 'submittedBefore', 'made before this time');

function timeFilter(displayName: string, name: string, which: string): INodeProperties {
  return {
    displayName,
    name,
    type: 'dateTime',
    default: '',
    description: `Only submissions ${which}. A time without a time zone is in the workflow's time zone; a date alone means 00:00 UTC.`,
  };
}

export const searchFilter = textField(
  'Search',
  'search',
  'jane@example.com',
  'Words that must all be in the ID or the answers of a submission, in any order, in upper or lower case. Submissions are read until as many match as Limit says.',
);
