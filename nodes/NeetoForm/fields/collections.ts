import type { INodeProperties } from 'n8n-workflow';

/** The collections of fields that may be left out. Each lists its fields in alphabetical order. */
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
    // Compares with `<`: the first call of `localeCompare` in a process takes 10 ms, and n8n would start later.
    options: fields.toSorted((a, b) => (a.displayName < b.displayName ? -1 : 1)),
  });
}
