/** The list, begun at another place in each round: nobody is always the first, or always behind the same one. */
export function inTurns<T>(list: readonly T[], round: number): T[] {
  const start = Math.max(0, round) % Math.max(1, list.length);
  return [...list.slice(start), ...list.slice(0, start)];
}
