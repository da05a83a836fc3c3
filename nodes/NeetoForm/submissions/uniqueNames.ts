/** Names that no column may have: an assignment to this key would change the prototype of the object. */
export const RESERVED = ['__proto__'];

/** Makes an object of named values. The second value of one name gets another key, such as `Name (2)`, and none changes the prototype. */
export function objectOf<T>(named: ReadonlyArray<[name: string, value: T]>): Record<string, T> {
  // This is the usual case: most submissions have no custom columns.
  if (named.length === 0) return {};
  const unique = uniqueNames(RESERVED);
  return Object.fromEntries(named.map(([name, value]) => [unique(name), value]));
}

/** Returns a name, or the first of `Name (2)`, `Name (3)` … that it has not returned before. */
export type UniqueNames = (name: string) => string;

/** Makes a function that returns unique names. @param reserved names that are in use already @param spell adds a number (2, 3 …) to a name */
export function uniqueNames(
  reserved: Iterable<string> = [],
  spell = (original: string, copy: number) => `${original} (${copy})`,
): UniqueNames {
  const taken = new Set(reserved);
  /** The last number of each name. Without it, counting would begin at 2 for each of ten thousand equal names, and take very long. */
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
