/** Tells the polls of an activation or a start of n8n, where throwing would stop the workflow for good, from scheduled ones. */

import type { IPollFunctions } from 'n8n-workflow';
import { ExpiringMap } from './expiringMap';
import { budgetOf, MAX_BUDGET_MS, type PollSession } from './session';

/** ms after which a poll of n8n 2.33 to 2.37 counts as a publication again. */
const PUBLICATION_MS = 25 * 60 * 60_000;

/** Contexts that have polled before. Without its scheduler, n8n keeps one from the activation on. */
const polledBefore = new WeakSet<IPollFunctions>();

/** Triggers that have polled as if they were published again, where n8n tells no budget. */
const polledAsPublished = new ExpiringMap<true>();

/** Whether a poll belongs to an activation. Called once in each poll. */
export function isActivationOf({ context, key, clock }: PollSession): boolean {
  if (polledBefore.has(context)) return false;
  polledBefore.add(context);
  const mode = context.getActivationMode();
  if (mode !== 'update') return mode === 'activate' || mode === 'init';
  // The scheduler's polls have this mode, too, and a context each; but not the budget of a publication.
  const budget = budgetOf(context);
  if (budget !== undefined) return budget > MAX_BUDGET_MS;
  // n8n 2.33 to 2.37 has a scheduler and tells no budget: then it is a poll like the one before.
  const isFirst = polledAsPublished.get(key, clock.now()) === undefined;
  polledAsPublished.set(key, true, clock.now(), PUBLICATION_MS);
  return isFirst;
}

/**
 * Whether n8n executes what the last poll of this process emitted, although what it has stored does not tell: its timers do, and a
 * publication begins with what n8n had stored before.
 */
export function isExecuting({ context }: PollSession, isActivation: boolean): boolean {
  return isActivation || (budgetOf(context) ?? 0) > MAX_BUDGET_MS;
}
