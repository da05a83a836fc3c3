import type { INodeProperties } from 'n8n-workflow';

export const additionalFieldsOf = collection('Additional Fields', 'additionalFields', 'Add Field');
export const filtersOf = collection('Filters', 'filters', 'Add Filter');
export const optionsOf = collection('Options', 'options', 'Add Option');
export const sortOf = collection('Sort', 'sort', 'Add Sort');
export const updateFieldsOf = collection('Update Fields', 'updateFields', 'Add Field');

function collection(displayName: string, name: string, placeholder: string) {
  return (fields: INodeProperties[]): INodeProperties => ({
    displayName,
    name,
    type: 'collection',
    placeholder,
    default: {},
    // The first call of `localeCompare` would delay n8n's start by 10 ms.
    options: fields.toSorted((a, b) => (a.displayName < b.displayName ? -1 : 1)),
  });
}
