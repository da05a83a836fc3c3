/**
 * Divides a number evenly: whoever needs less than a share gets all of it, and what it leaves goes to the others.
 *
 * @param needs how many each could use, in the order in which a remainder is given out
 * @returns how many each gets: `shares(10, [1, 9, 9])` is `[1, 5, 4]`
 */
export function shares(total: number, needs: number[]): number[] {
  const given = needs.map(() => 0);
  for (let left = total, open = needs; left > 0 && open.length > 0;) {
    const share = Math.max(1, Math.floor(left / open.length));
    for (const [index, need] of needs.entries()) {
      const more = Math.min(share, left, need - (given[index] ?? 0));
      given[index] = (given[index] ?? 0) + more;
      left -= more;
    }
    open = needs.filter((need, index) => (given[index] ?? 0) < need);
  }
  return given;
}
