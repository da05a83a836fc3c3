import { isObject } from './engine/workflow';

/** Describes all types and keys of values as a JSON Schema. Where an object is open, its keys are the user's own, and not described. */
export function schemaOf(values: unknown[], isOpen: (path: string) => boolean, path = ''): object {
  const types = [...new Set(values.map(typeOf))].sort((a, b) => Number(a === 'null') - Number(b === 'null'));
  const objects = values.filter(isObject);
  const elements = values.filter((value) => Array.isArray(value)).flat();
  const keys = new Set(objects.flatMap((object) => Object.keys(object)));
  const propertyOf = (key: string) => {
    const present = objects.filter((object) => key in object).map((object) => object[key]);
    return [key, schemaOf(present, isOpen, path === '' ? key : `${path}.${key}`)] as const;
  };
  return {
    type: types.length === 1 ? (types[0] ?? 'null') : types,
    ...(objects.length > 0 && !isOpen(path) && { properties: Object.fromEntries([...keys].map(propertyOf)) }),
    ...(elements.length > 0 && { items: schemaOf(elements, isOpen, `${path}[]`) }),
  };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
