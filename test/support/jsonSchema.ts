import { isObject } from './engine/workflow';

/** The part of JSON Schema that describes output data. */
export interface JsonSchema {
  type: string | string[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
}

/**
 * Describes values: every type that occurs, and every key that an object has in at least one of them.
 *
 * @param values at least one
 * @param isOpen whether the keys of the object at this path are the user's own, so that they are not described
 * @param path keys that lead to the values
 */
export function schemaOf(values: unknown[], isOpen: (path: string) => boolean, path = ''): JsonSchema {
  const types = [...new Set(values.map(typeOf))].sort((a, b) => Number(a === 'null') - Number(b === 'null'));
  const objects = values.filter(isObject);
  const elements = values.filter((value) => Array.isArray(value)).flat();
  return {
    type: types.length === 1 ? (types[0] ?? 'null') : types,
    ...(objects.length > 0 && !isOpen(path) && { properties: propertiesOf(objects, isOpen, path) }),
    ...(elements.length > 0 && { items: schemaOf(elements, isOpen, `${path}[]`) }),
  };
}

function propertiesOf(
  objects: Array<Record<string, unknown>>,
  isOpen: (path: string) => boolean,
  path: string,
): Record<string, JsonSchema> {
  const keys = new Set(objects.flatMap((object) => Object.keys(object)));
  return Object.fromEntries(
    [...keys].map((key) => {
      const present = objects.filter((object) => key in object).map((object) => object[key]);
      return [key, schemaOf(present, isOpen, path === '' ? key : `${path}.${key}`)];
    }),
  );
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
