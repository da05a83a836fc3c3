import type {
  INodeProperties,
  INodePropertyCollection,
  INodePropertyOptions,
  INodeTypeDescription,
} from 'n8n-workflow';

/** The labels that a user sees in the panel of a node, and the names of its resources and operations. */
export function serviceMessage({ properties }: INodeTypeDescription): string[] {
  return properties
    .filter(({ type, name }) => type !== 'notice' && type !== 'hidden' && name !== 'pollTimes')
    .flatMap(wordsOfField);
}

function wordsOfField({ displayName, name, type, options = [] }: INodeProperties): string[] {
  if (name === 'resource' || name === 'operation')
    return options.flatMap((option) => ('value' in option ? option.name : []));
  // A collection is a drawer: what counts is what lies in it.
  return [...(type === 'collection' ? [] : [displayName]), ...options.flatMap(insideOf)];
}

function insideOf(option: INodeProperties | INodePropertyOptions | INodePropertyCollection): string[] {
  if ('values' in option) return option.values.flatMap(wordsOfField);
  return 'type' in option ? wordsOfField(option) : [];
}
