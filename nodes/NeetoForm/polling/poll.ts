import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { systemClock, type Clock } from '../api/clock';
import { CREDENTIAL } from '../api/credential';
import { createdMs } from '../api/parse';
import { ConcurrencyLimiter } from '../api/concurrencyLimiter';
import { workspaceUrl } from '../api/workspaceUrl';
import type { FormCall, PollCall } from './ask';
import { hasCursor, keyOf, presented, readForm, readNewest, type FormOutcome, type FormSettings } from './form';
import { watchedForms } from './forms';
import { itemsOf } from './handOut';
import { isFault, isOutcome, reportFaults, type FormFault } from './report';
import { settingsOf, type Settings } from './settings';
import { forgetOtherForms } from './store';

const MINUTE = 60_000;

/** ms a poll may take at most; n8n's durable scheduler abandons one after 45 s. */
const MAX_BUDGET_MS = 45_000;

/** The part of the budget in which requests may begin; the rest is for the last of them to end. */
const WORKING_SHARE = 0.8;

/** The same when files are to be downloaded afterwards, which may go on as long as the third share says. */
const WORKING_SHARE_BEFORE_FILES = 0.4;
const FILES_SHARE = 0.95;

/** Forms being read in this process: n8n may start a poll while another still runs. */
const running = new Set<string>();

/** Contexts that have polled before. In memory mode n8n keeps one from the activation on. */
const active = new WeakSet<IPollFunctions>();

/**
 * One poll: the new submissions of each watched form since the last one, each exactly once.
 *
 * @returns items, or null when there is nothing new
 * @throws NodeApiError or NodeOperationError; every cursor then stays as it was
 */
export async function poll(
  context: IPollFunctions,
  clock: Clock = systemClock,
): Promise<INodeExecutionData[][] | null> {
  const settings = settingsOf(context);
  const call = await callOf(context, clock, settings);
  return await (context.getMode() === 'manual' ? showNewest(call, settings) : handOutNew(call, settings));
}

/** A manual test shows the newest submission there is and changes nothing. */
async function showNewest(call: PollCall, settings: Settings): Promise<INodeExecutionData[][]> {
  const { ids } = await watchedForms(call, settings, false);
  const forms = ids.map((formId): FormCall => ({ ...call, formId }));
  const newest = await Promise.all(
    forms.map(async (form) => await call.limiter.run(async () => ({ form, submission: await readNewest(form) }))),
  );
  const [first] = newest
    .flatMap(({ form, submission }) => (submission === undefined ? [] : [{ form, submission }]))
    .sort((a, b) => createdMs(b.submission) - createdMs(a.submission));
  if (first !== undefined) {
    const batch = await presented(first.form, settings.outputOptions, [first.submission]);
    return [await itemsOf(call, settings, [{ ...batch, leave: () => undefined }])];
  }
  throw new NodeOperationError(
    call.context.getNode(),
    settings.watch === 'one' ? 'This form has no submissions yet' : 'None of these forms has a submission yet',
    {
      description: 'Fill in the form once at its public address, then fetch a test event again.',
    },
  );
}

async function handOutNew(call: PollCall, settings: Settings): Promise<INodeExecutionData[][] | null> {
  const { context } = call;
  const isActivation = isFirstPollOf(context);
  const watched = await watchedForms(call, settings, isActivation);
  const forms = inTurn(watched.ids, call.clock)
    .map((formId): FormCall => ({ ...call, formId }))
    .filter((form) => !running.has(keyOf(form)));
  for (const form of forms) running.add(keyOf(form));
  try {
    const { startFrom } = watched;
    const results = await readForms(forms, {
      ...settings,
      startFrom,
      room: { left: settings.maxSubmissions },
      isActivation,
    });
    const faults = results.filter(isFault);
    const outcomes = results.filter(isOutcome);
    // A form without a cursor would begin later than the user was told.
    const blocking = isActivation && settings.watch === 'several' ? faults.find(({ isNew }) => isNew) : undefined;
    const fault = blocking ?? (outcomes.length === 0 ? faults[0] : undefined);
    if (fault !== undefined) throw fault.error;
    const items = await itemsOf(call, settings, outcomes);
    for (const { commit } of [watched, ...outcomes]) commit();
    if (settings.watch !== 'active') forgetOtherForms(context, settings.formIds);
    reportFaults(call, faults, forms.length);
    return items.length === 0 ? null : [items];
  } finally {
    for (const form of forms) running.delete(keyOf(form));
  }
}

/** Reads several forms at once, each for itself. */
async function readForms(forms: FormCall[], settings: FormSettings): Promise<Array<FormOutcome | FormFault>> {
  const read = async (form: FormCall) => {
    try {
      return await readForm(form, settings);
    } catch (error) {
      return { formId: form.formId, error, isNew: !hasCursor(form) };
    }
  };
  return await Promise.all(forms.map(async (form) => await form.limiter.run(async () => await read(form))));
}

/** The forms, another one first in every minute: what one poll has no room or time for must not wait for ever. */
function inTurn(ids: string[], clock: Clock): string[] {
  const first = Math.floor(clock.now() / MINUTE) % Math.max(1, ids.length);
  return [...ids.slice(first), ...ids.slice(0, first)];
}

async function callOf(context: IPollFunctions, clock: Clock, { outputOptions }: Settings): Promise<PollCall> {
  const workspace = await workspaceOf(context);
  const budget = Math.min(budgetOf(context), MAX_BUDGET_MS);
  const now = clock.now();
  const share = outputOptions.downloadFiles ? WORKING_SHARE_BEFORE_FILES : WORKING_SHARE;
  return {
    context,
    workspace,
    clock,
    deadline: now + budget * share,
    abandonAt: now + budget,
    filesUntil: now + budget * FILES_SHARE,
    limiter: new ConcurrencyLimiter(),
  };
}

async function workspaceOf(context: IPollFunctions): Promise<string> {
  const credential = await context.getCredentials(CREDENTIAL);
  try {
    return workspaceUrl(credential);
  } catch (error) {
    throw new NodeOperationError(
      context.getNode(),
      error instanceof Error ? error.message : 'The credential has no usable address',
    );
  }
}

/** n8n tells the budget since 2.38. */
function budgetOf(context: IPollFunctions): number {
  return 'getPollBudgetMs' in context && typeof context.getPollBudgetMs === 'function'
    ? context.getPollBudgetMs()
    : MAX_BUDGET_MS;
}

/** Whether this poll belongs to an activation or a start of n8n, where throwing would stop the workflow for good. */
function isFirstPollOf(context: IPollFunctions): boolean {
  const mode = context.getActivationMode();
  const isFirst = !active.has(context) && (mode === 'activate' || mode === 'init');
  active.add(context);
  return isFirst;
}
