/** Divides among the forms of a trigger what they have together: Max Submissions, and the IDs that can be remembered. */

/** Limits for the number of IDs that a trigger remembers. */
const KNOWN = { mostOfForm: 2_000, mostOfAll: 20_000, leastOfForm: 20 };

/** How many IDs to remember of each form: 2,000, unless all together have more than 20,000. For 15 forms with 2,000 IDs each, it is 1,334. */
export function maxKnownOf(counts: number[]): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total <= KNOWN.mostOfAll) return KNOWN.mostOfForm;
  // The largest share is the limit for all: a form with a smaller share needs no more.
  const forms = counts.map((count) => ({ count }));
  const given = shares(KNOWN.mostOfAll, forms, ({ count }) => count);
  return Math.min(KNOWN.mostOfForm, Math.max(KNOWN.leastOfForm, ...given.values()));
}

/**
 * Divides a number evenly among parties. What one does not need goes to the others, and a remainder to the first: 10 among parties that need 1, 9
 * and 9 is 1, 5 and 4.
 *
 * @returns the share of each party
 */
export function shares<Party>(total: number, parties: Party[], needOf: (party: Party) => number): Map<Party, number> {
  const parts = parties.map((party) => ({ party, need: needOf(party), given: 0 }));
  let left = total;
  for (let open = parts; left > 0 && open.length > 0; open = open.filter(({ need, given }) => given < need)) {
    const share = Math.max(1, Math.floor(left / open.length));
    for (const part of open) {
      const more = Math.min(share, left, part.need - part.given);
      part.given += more;
      left -= more;
    }
  }
  return new Map(parts.map(({ party, given }) => [party, given]));
}
