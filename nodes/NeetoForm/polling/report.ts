import { NodeOperationError } from 'n8n-workflow';
import type { FormOutcome } from './form';
import type { PollCall } from './ask';

/** Forms named in one report; a workspace may have hundreds. */
const MOST_NAMED = 5;

/** ms after which the same trouble is reported again. */
const REPEAT_MS = 60 * 60_000;

/** A form that could not be read. */
export interface FormFault {
  formId: string;
  error: unknown;
  /** Whether nothing is known of the form yet. */
  isNew: boolean;
}

/** What was reported last in this process, by trigger. */
const reported = new Map<string, { message: string; at: number }>();

export function isFault(result: FormOutcome | FormFault): result is FormFault {
  return 'error' in result;
}

export function isOutcome(result: FormOutcome | FormFault): result is FormOutcome {
  return !isFault(result);
}

/**
 * Tells n8n of forms that could not be read while others could, as a failed execution beside what these hand out: throwing would
 * stop them too. The same trouble is told once an hour, not by every poll.
 */
export function reportFaults({ context, clock }: PollCall, faults: FormFault[], forms: number): void {
  const key = [context.getWorkflow().id, context.getNode().id].join(' ');
  if (faults.length === 0) {
    reported.delete(key);
    return;
  }
  const message = `${faults.length} of ${forms} forms could not be read: ${faults.slice(0, MOST_NAMED).map(serviceMessage).join('; ')}`;
  const last = reported.get(key);
  if (last?.message === message && clock.now() - last.at < REPEAT_MS) return;
  reported.set(key, { message, at: clock.now() });
  context.__emitError(
    new NodeOperationError(context.getNode(), message, {
      description:
        'The other forms go on as they should, and nothing of these is lost: their submissions follow when they can be read again. A form that is gone for good has to be taken out of the trigger.',
    }),
  );
}

function serviceMessage({ formId, error }: FormFault): string {
  return `${formId} (${error instanceof Error ? error.message : String(error)})`;
}
