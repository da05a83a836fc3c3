/** The titles and questions of forms, which items show. */

import { unlessHidden } from '../api/errors';
import { needsForm } from '../submissions/outputOptions';
import type { FormDetails } from '../submissions/questions';
import { ExpiringMap } from './expiringMap';
import type { ReadDetails } from './read';
import type { PollSession } from './session';
import type { TriggerSettings } from './settings';

/** ms for which the polls that deliver a backlog share a form's title and questions. */
const BACKLOG_MS = 5 * 60_000;

/** By trigger and form. Without it, eight backlogs would cost eight requests more in every poll. */
const ofBacklogs = new ExpiringMap<FormDetails>();

/** How items with these settings come by a form's title and questions: from the form, or from the poll before while it has a backlog. */
export function detailsReader(session: PollSession, { outputOptions }: TriggerSettings): ReadDetails {
  return async (formId) => {
    if (!needsForm(outputOptions)) return undefined;
    // The key's role may not see forms, and a form may be deleted: then the answers' own labels have to do.
    return kept(session, formId) ?? (await unlessHidden(session.readForm(formId)));
  };
}

/** Keeps them for the next polls. @param details those of a form with a backlog, else undefined */
export function keepDetails(session: PollSession, formId: string, details: FormDetails | undefined): void {
  if (details === undefined) ofBacklogs.deleteAll(keyOf(session, formId));
  else if (kept(session, formId) === undefined)
    ofBacklogs.set(keyOf(session, formId), details, session.clock.now(), BACKLOG_MS);
}

function kept(session: PollSession, formId: string): FormDetails | undefined {
  return ofBacklogs.get(keyOf(session, formId), session.clock.now());
}

function keyOf({ key, workspace }: PollSession, formId: string): string {
  return `${key} ${workspace} ${formId}\n`;
}
