/** Assigning to this key changes an object's prototype. */
export const RESERVED = ['__proto__'];

/** An object of these values. None overwrites another, and none changes the prototype. */
export function objectOf<T>(named: Array<[name: string, value: T]>): Record<string, T> {
  const taken = new Set(RESERVED);
  return Object.fromEntries(named.map(([name, value]) => [uniqueName(name, taken), value]));
}

/**
 * @param taken names in use; the result is added
 * @param spell writes the number of a copy
 * @returns `Name`, or the first of `Name (2)`, `Name (3)` … that is free
 */
export function uniqueName(
  name: string,
  taken: Set<string>,
  spell = (original: string, copy: number) => `${original} (${copy})`,
): string {
  let unique = name;
  for (let copy = 2; taken.has(unique); copy++) unique = spell(name, copy);
  taken.add(unique);
  return unique;
}
