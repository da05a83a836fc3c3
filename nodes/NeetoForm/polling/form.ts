import { NodeApiError } from 'n8n-workflow';
import type { Clock } from '../api/clock';
import { formPath } from '../api/endpoints';
import { createdMs } from '../api/parse';
import { isTransient } from '../api/errors';
import { expectShape } from '../api/shape';
import type { Submission } from '../api/types';
import { createExtractor } from '../submissions/extract';
import { needsForm, type OutputOptions } from '../submissions/outputOptions';
import { parseFormDetails, type FormDetails } from '../submissions/questions';
import { toItems } from '../submissions/toItems';
import { askFor, get, subjectOf, type FormCall } from './ask';
import { takeBaseline } from './baseline';
import { Harvest, type Cursor, type Room } from './cursor';
import { drain, type Drain } from './drain';
import type { Batch } from './handOut';
import { CursorStore } from './store';

/**
 * ms that n8n may take to store what a poll handed out. With durable cursors, a poll may begin meanwhile from the place before: n8n
 * lets both store, for it only asks whether each poll's own task was still its own.
 */
const STORING_MS = 30_000;

/** A submission that was handed out, of which no answer is kept. */
interface HandedOut {
  id: string;
  /** ms, when it was created. */
  created: number;
  /** ms, when it was handed out. */
  at: number;
}

/** The latest one of each form, in this process. */
const handedOut = new Map<string, HandedOut>();

export interface FormSettings {
  outputOptions: OutputOptions;
  lookbackMs: number;
  room: Room;
  /** ms: where to begin without a cursor; undefined = behind the newest submission. */
  startFrom?: number;
  /** Whether this poll belongs to an activation or a start of n8n, where throwing would stop the workflow for good. */
  isActivation: boolean;
}

/** What one form gives in one poll. */
export interface FormOutcome extends Batch {
  /** Keeps the cursor behind what was not left. Synchronous, so that a poll can do it as its last act. */
  commit: () => void;
}

const NOTHING: FormOutcome = { items: [], files: [], leave: () => undefined, commit: () => undefined };

/**
 * Reads what is new in one form. Nothing is kept before `commit` is called.
 *
 * @throws NodeApiError when the form cannot be read and there is nothing to hand out
 */
export async function readForm(call: FormCall, settings: FormSettings): Promise<FormOutcome> {
  return await expectShape(call.context.getNode(), subjectOf(call), async () => await readNew(call, settings));
}

/** What names a form of a trigger in this process. */
export function keyOf({ context, workspace, formId }: FormCall): string {
  return [context.getWorkflow().id, context.getNode().id, workspace, formId].join(' ');
}

/** Whether something is known of the form, so that it may fail for a while without losing anything. */
export function hasCursor(call: FormCall): boolean {
  return new CursorStore(call).load() !== undefined;
}

async function readNew(call: FormCall, settings: FormSettings): Promise<FormOutcome> {
  const { clock, deadline } = call;
  const { lookbackMs, room, startFrom, isActivation } = settings;
  const key = keyOf(call);
  const store = new CursorStore(call);
  const kept = store.load();
  if (isBehind(kept, handedOut.get(key), clock)) return NOTHING;
  const work = { ask: askFor(call), clock, deadline };
  const isLate = clock.now() >= deadline;
  if (kept === undefined && startFrom === undefined) {
    const baseline = isLate ? undefined : await takeBaseline(work, lookbackMs);
    if (baseline === undefined) throw tooSlow(call);
    return { ...NOTHING, commit: () => store.save(baseline) };
  }
  if (isLate || room.left <= 0) return NOTHING;
  const cursor = kept ?? { c: startFrom ?? 0, seen: new Map() };
  const harvest = new Harvest(cursor, { room, lookbackMs });
  const outcome = await drainUntilFault({ ...work, harvest }, cursor.c, call);
  const fault = outcome === 'time is up' && harvest.cursor().c === cursor.c ? tooSlow(call) : outcome;
  // What was taken before a fault is handed out; the next poll meets the fault first and reports it.
  if (fault instanceof NodeApiError && harvest.isEmpty) {
    if (kept !== undefined && isActivation && isTransient(fault)) return NOTHING;
    throw fault;
  }
  const taken = harvest.taken();
  return {
    ...(await presented(call, settings.outputOptions, taken)),
    leave: (from) => harvest.giveBack(taken.splice(from)),
    commit: () => {
      store.save(harvest.cursor());
      const latest = taken.at(-1);
      if (latest !== undefined) handedOut.set(key, { id: latest.id, created: createdMs(latest), at: clock.now() });
    },
  };
}

/** The newest submission that the form has; undefined when it has none. */
export async function readNewest(call: FormCall): Promise<Submission | undefined> {
  return await expectShape(
    call.context.getNode(),
    subjectOf(call),
    async () => (await askFor(call)({ order: 'desc', page: 1 })).rows[0],
  );
}

/** Submissions of one form as the items' data, and their files. */
export async function presented(
  call: FormCall,
  outputOptions: OutputOptions,
  submissions: Submission[],
): Promise<Pick<Batch, 'items' | 'files'>> {
  const isInTime = call.clock.now() < call.deadline;
  const form = isInTime && submissions.length > 0 && needsForm(outputOptions) ? await readDetails(call) : undefined;
  return toItems(submissions.map(createExtractor(outputOptions)), form, call.formId, outputOptions);
}

/** @returns undefined when the form cannot be read: its submissions are emitted all the same */
async function readDetails(call: FormCall): Promise<FormDetails | undefined> {
  try {
    return parseFormDetails((await get(call, subjectOf(call), formPath(call.formId))).body);
  } catch {
    return undefined;
  }
}

/** Whether the kept cursor does not know yet what a poll has just handed out. */
function isBehind(kept: Cursor | undefined, last: HandedOut | undefined, clock: Clock): boolean {
  if (kept === undefined || last === undefined) return false;
  const sinceMs = clock.now() - last.at;
  if (sinceMs < 0 || sinceMs >= STORING_MS) return false;
  return last.created >= kept.c && !kept.seen.has(last.id);
}

/** @returns what stopped the reading before the list's end or the harvest's fill; undefined when nothing did */
async function drainUntilFault(
  work: Drain,
  from: number,
  call: FormCall,
): Promise<NodeApiError | 'time is up' | undefined> {
  const node = call.context.getNode();
  try {
    const isAtEnd = await expectShape(node, subjectOf(call), async () => await drain(work, from));
    return isAtEnd || work.harvest.isFull ? undefined : 'time is up';
  } catch (error) {
    return error instanceof NodeApiError ? error : new NodeApiError(node, { message: String(error) });
  }
}

/** Reading on in the next poll would begin where this one began, and come no further. */
function tooSlow({ context }: FormCall): NodeApiError {
  const message = "The service answers too slowly to read the form's latest submissions in the time of one poll";
  return new NodeApiError(
    context.getNode(),
    { message },
    {
      message,
      description:
        "Lower this node's Options > Look-Back: as many minutes of submissions are read again by every poll. If it goes away by itself, nothing was lost.",
      failure: { cause: 'temporarily-unavailable' },
    },
  );
}
