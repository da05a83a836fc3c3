/** Assigning to this key changes an object's prototype. */
export const RESERVED = ['__proto__'];

/** An object of these values. None overwrites another, and none changes the prototype. */
export function objectOf<T>(named: Array<[name: string, value: T]>): Record<string, T> {
  // Most submissions have no custom columns.
  if (named.length === 0) return {};
  const unique = uniqueNames(RESERVED);
  return Object.fromEntries(named.map(([name, value]) => [unique(name), value]));
}

/** Returns a name, or the first of `Name (2)`, `Name (3)` … that it has not returned before. */
export type UniqueNames = (name: string) => string;

/** @param reserved names that are in use @param spell writes the number of a copy */
export function uniqueNames(
  reserved: Iterable<string> = [],
  spell = (original: string, copy: number) => `${original} (${copy})`,
): UniqueNames {
  const taken = new Set(reserved);
  /** The number of the latest copy: a respondent may give ten thousand lines one label. */
  const copies = new Map<string, number>();
  return (name) => {
    let unique = name;
    for (let copy = copies.get(name) ?? 2; taken.has(unique); copy++) {
      unique = spell(name, copy);
      copies.set(name, copy);
    }
    taken.add(unique);
    return unique;
  };
}
