/** Ways to name a row, from the plain name to one that no other row has. */
export type Namings<T> = ReadonlyArray<(row: T) => string>;

/**
 * Names each row by the first of its namings that no other row shares.
 *
 * @returns the rows in their order, each with its name
 */
export function nameDistinctly<T>(rows: T[], namings: Namings<T>): Array<{ row: T; name: string }> {
  const shared = namings.map((naming) => {
    const counts = new Map<string, number>();
    for (const name of rows.map(naming)) counts.set(name, (counts.get(name) ?? 0) + 1);
    return (name: string) => (counts.get(name) ?? 0) > 1;
  });
  return rows.map((row) => {
    const names = namings.map((naming) => naming(row));
    const name = names.find((each, index) => shared[index]?.(each) === false) ?? names.at(-1) ?? '';
    return { row, name };
  });
}

/** `Name (detail, detail)`, or the name alone when there is no detail. */
export function withDetails(name: string, details: string[]): string {
  const said = details.filter((detail) => detail !== '').join(', ');
  return said === '' ? name : `${name} (${said})`;
}
