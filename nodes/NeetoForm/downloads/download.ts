import { anySignal } from '../api/clock';
import { toNodeApiError } from '../api/messages';
import { newLimits, sendWithRetries } from '../api/retry';
import type { AnsweredFile } from '../submissions/toItems';
import { validateFileAddress } from './fileAddress';
import { get, type Downloaded, type DownloadRun, type Outcome, type Redirect, type Transfer } from './get';

const FILE_TIMEOUT_MS = 60_000;

const MAX_REDIRECTS = 5;

/** Downloads a file without the API key: a respondent may have written its address. @throws NodeApiError when the execution is canceled */
export async function download(file: AnsweredFile, run: DownloadRun, budget: Transfer['budget']): Promise<Downloaded> {
  const { sender, clock, servers, timeoutMs = FILE_TIMEOUT_MS, giveUpAt = Infinity } = run;
  const address = file.url.trim();
  const problem = validateFileAddress(address, 'answer', run);
  if (problem !== undefined) return { kind: 'address', problem };
  const { host } = new URL(address);
  const limits = servers.get(host) ?? newLimits();
  servers.set(host, limits);
  const cancel = sender.getExecutionCancelSignal?.();
  const attempt = async (): Promise<Exclude<Outcome, Redirect>> => {
    const remainingMs = giveUpAt - clock.now();
    const timeout = clock.timeout(Math.floor(Math.min(timeoutMs, remainingMs)));
    // The poll's time may have ended while the file waited for one of the slots.
    if (timeout.aborted) return { kind: 'poll ended' };
    const outcome = await follow(address, { file, run, budget, signal: anySignal(timeout, cancel) });
    if (outcome.kind !== 'canceled' || cancel?.aborted) return outcome;
    return timeoutMs <= remainingMs ? { kind: 'too slow', timeoutMs } : { kind: 'poll ended' };
  };
  // A file waits for its server before it takes one of the slots of all downloads. Otherwise, files that wait for one server would hold all slots.
  const { outcome } = await sendWithRetries(async () => await run.slots.run(attempt), {
    failureOf: (each) => (each.kind === 'status' || each.kind === 'no response' ? each : undefined),
    isRead: true,
    limitMs: timeoutMs,
    giveUpAt,
    clock,
    limits,
    signal: anySignal(cancel),
  });
  if (outcome.kind === 'canceled') throw toNodeApiError(sender.getNode(), outcome, {});
  // If the poll's time is over, there was no time for the first attempt, or for another one.
  return outcome.kind === 'no response' && clock.now() >= giveUpAt ? { kind: 'poll ended' } : outcome;
}

/** Requests an address and follows its redirects. n8n must not follow them itself, because each address is validated first. */
async function follow(first: string, transfer: Transfer): Promise<Exclude<Outcome, Redirect>> {
  let address = first;
  for (let requests = 0; requests <= MAX_REDIRECTS; requests++) {
    const outcome = await get(address, transfer);
    if (outcome.kind !== 'redirect') return outcome;
    address = outcome.to;
    const problem = validateFileAddress(address, 'redirect', transfer.run);
    if (problem !== undefined) return { kind: 'address', problem };
  }
  return { kind: 'too many redirects' };
}
