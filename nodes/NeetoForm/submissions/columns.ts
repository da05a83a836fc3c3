/** What an answer is filed under: the question's label or its slug. */
export type AnswerKey = 'label' | 'slug';

/** What is known of a question, from the form or from an answer to it. */
export interface Asked {
  slug: string;
  label: string;
  position: number;
}

/** The column of each question, by slug. */
export type Columns = ReadonlyMap<string, string>;

/** Assigning this key would change an object's prototype instead of filing a value. */
const RESERVED = ['__proto__'];

/**
 * Names the column of each question. Two questions with one label give `Name` and `Name (2)`, by position; a question without a
 * label is named by its slug.
 *
 * @param asked all questions of the form, so that a column's name does not depend on which were answered
 */
export function nameColumns(asked: Iterable<Asked>, key: AnswerKey): Columns {
  const bySlug = new Map<string, Asked>();
  for (const question of asked) {
    if (!bySlug.has(question.slug)) bySlug.set(question.slug, question);
  }
  const inOrder = [...bySlug.values()].sort((a, b) => a.position - b.position);
  const columns = asKeys(
    inOrder.map(({ slug, label, position }) => (key === 'label' && label.trim()) || slug || `Question ${position}`),
  );
  return new Map(inOrder.map(({ slug }, index) => [slug, columns[index] ?? slug]));
}

/** Names as keys of one object: each of them once, and none that means something to JavaScript. */
function asKeys(names: string[]): string[] {
  const taken = new Set(RESERVED);
  return names.map((name) => {
    const key = freeName(name, taken);
    taken.add(key);
    return key;
  });
}

/** An object of these values; none is overwritten by one of the same name. */
export function objectOf<T>(named: Array<[name: string, value: T]>): Record<string, T> {
  const keys = asKeys(named.map(([name]) => name));
  return Object.fromEntries(named.map(([name, value], index) => [keys[index] ?? name, value]));
}

/** `Name`, or `Name (2)`, `Name (3)` … when it is taken; `spell` can write the number in another way. */
export function freeName(
  name: string,
  taken: ReadonlySet<string>,
  spell = (of: string, copy: number) => `${of} (${copy})`,
): string {
  if (!taken.has(name)) return name;
  for (let copy = 2; ; copy++) {
    const candidate = spell(name, copy);
    if (!taken.has(candidate)) return candidate;
  }
}

/**
 * Whether an earlier question may have been skipped here. Then the answers alone do not tell which of two questions with
 * one label was answered, and the form has to be asked. Positions may begin at 0 or 1 (`service-api.md` does not say).
 */
export function hasGaps(answered: Asked[]): boolean {
  const positions = answered.map(({ position }) => position).sort((a, b) => a - b);
  return positions.some((position, index) =>
    index === 0 ? position > 1 : position - (positions[index - 1] ?? position) > 1,
  );
}
