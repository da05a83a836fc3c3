/**
 * What was said, with defaults for what was not; a key whose value is undefined counts as not said.
 */
export function withDefaults<T extends object>(defaults: T, said: Partial<T>): T {
  const known = Object.entries(said).filter(([key, value]) => value !== undefined && key in defaults);
  return { ...defaults, ...Object.fromEntries(known) };
}
