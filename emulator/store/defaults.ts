/**
 * An input with defaults; a key whose value is undefined gets the default.
 */
export function withDefaults<T extends object>(defaults: T, input: Partial<T>): T {
  const known = Object.entries(input).filter(([key, value]) => value !== undefined && key in defaults);
  return { ...defaults, ...Object.fromEntries(known) };
}
