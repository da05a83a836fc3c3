/** An assignment to this key would change the prototype of the object. */
export const RESERVED = ['__proto__'];

/** Makes an object of named values. A second value of the same name gets the key `Name (2)`. */
export function objectOf<T>(named: ReadonlyArray<[name: string, value: T]>): Record<string, T> {
  if (named.length === 0) return {};
  const unique = uniqueNames(RESERVED);
  return Object.fromEntries(named.map(([name, value]) => [unique(name), value]));
}

/** Returns a name, or the first of `Name (2)`, `Name (3)` … that it has not returned before. */
export type UniqueNames = (name: string) => string;

/** Makes a function that returns unique names. @param spell adds a number (2, 3 …) to a name */
export function uniqueNames(
  reserved: Iterable<string> = [],
  spell = (original: string, copy: number) => `${original} (${copy})`,
): UniqueNames {
  const taken = new Set(reserved);
  /** The last number of each name. Counting from 2 again would take quadratic time for many equal names. */
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
