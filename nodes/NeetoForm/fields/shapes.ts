import type { INodeProperties, INodePropertyOptions, INodePropertyTypeOptions } from 'n8n-workflow';

/** A drop-down. Its values are known to the code that reads it. */
export type ChoiceField<T extends string> = Omit<INodeProperties, 'options'> & {
  options: Array<INodePropertyOptions & { value: T }>;
};

/** Makes a field for a text. @param example shown as `e.g. …` while the field is empty @param more further keys of the field */
export function textField(
  displayName: string,
  name: string,
  example: string,
  description: string,
  more: Pick<INodeProperties, 'required' | 'displayOptions'> = {},
): INodeProperties {
  return { displayName, name, type: 'string', default: '', ...more, placeholder: `e.g. ${example}`, description };
}

/** Takes a field's choices from a method. If `loadOptionsMethod` stood in the field itself, n8n's lint would demand the label "… Name or ID". */
export function choicesFrom(loadOptionsMethod: string): INodePropertyTypeOptions {
  return { loadOptionsMethod };
}

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
    // In any case, so that `Form and IDs` stands before `Form Name`. The first call of `localeCompare` would delay n8n's start by 10 ms.
    options: fields.toSorted((a, b) => (a.displayName.toLowerCase() < b.displayName.toLowerCase() ? -1 : 1)),
  });
}
