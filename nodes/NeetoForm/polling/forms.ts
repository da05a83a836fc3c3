import { NodeApiError } from 'n8n-workflow';
import { FORMS, PAGE_SIZE } from '../api/endpoints';
import { isTransient } from '../api/errors';
import { readUpTo } from '../api/lists';
import { parsePage } from '../api/parse';
import { expectShape } from '../api/shape';
import type { Row } from '../api/types';
import { get, type PollCall } from './ask';
import type { Settings } from './settings';
import { CursorStore } from './store';

/** Under which the start of watching every active form is kept; no form has this ID. */
const EVERY_FORM = '';

/** The forms of one poll. */
export interface WatchedForms {
  ids: string[];
  /** ms: where a form begins that has no cursor yet; undefined = behind its newest submission. */
  startFrom?: number;
  /** Keeps what the forms have in common. Synchronous, as the last act of a poll. */
  commit: () => void;
}

/**
 * Which forms this poll reads. Of every active form the service's list is asked anew by each poll: a form that joins later begins
 * where the watching began, so that its first submissions are handed out too.
 *
 * @param isActivation with a passing fault there are then no forms, for throwing would stop the workflow for good
 * @throws NodeApiError when the list cannot be read
 */
export async function watchedForms(
  call: PollCall,
  { watch, formIds, startFrom }: Settings,
  isActivation: boolean,
): Promise<WatchedForms> {
  if (watch !== 'active') return { ids: formIds, startFrom, commit: () => undefined };
  const store = new CursorStore({ ...call, formId: EVERY_FORM });
  const began = store.load()?.c;
  try {
    const { ids, serverTime } = await activeForms(call);
    const commit = () => {
      if (began === undefined && serverTime !== undefined) store.save({ c: serverTime, seen: new Map() });
    };
    return { ids, startFrom: startFrom ?? began, commit };
  } catch (error) {
    if (began !== undefined && isActivation && isTransient(error)) return { ids: [], commit: () => undefined };
    throw error instanceof NodeApiError ? error : new NodeApiError(call.context.getNode(), { message: String(error) });
  }
}

async function activeForms(call: PollCall): Promise<{ ids: string[]; serverTime: number | undefined }> {
  const subject = { what: 'forms' } as const;
  let serverTime: number | undefined;
  const read = async (page: number) => {
    const answer = await get(call, subject, FORMS, { status: 'active', order: 'asc', page, page_size: PAGE_SIZE });
    serverTime ??= answer.serverTime;
    return parsePage(answer, 'forms');
  };
  // A service that does not know the parameter lists archived forms too.
  const pick = (form: Row) => (form.is_archived === true ? undefined : form.id);
  const ids = await expectShape(
    call.context.getNode(),
    subject,
    async () => await readUpTo({ readPage: read, pick, isFiltered: true }, Infinity),
  );
  return { ids, serverTime };
}
