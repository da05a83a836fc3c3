import { createHarness, HOUR, MINUTE, START } from './harness';

export interface StateSize {
  perHour: number;
  /** Ids held at the end of the day. */
  ids: number;
  /** Bytes of all that n8n stores of the workflow's state: the node's own and the copy under its id. */
  bytes: number;
  /** The most ids held at once in the last hour. */
  mostIds: number;
  emitted: number;
  lost: number;
}

/**
 * The state after a day of so many submissions per hour, polled every minute. What is older than the look-back leaves no trace in it,
 * so the trigger is activated for the last hour of the day only.
 */
export async function stateSizeAfterADay(perHour: number): Promise<StateSize> {
  const harness = await createHarness({ transport: 'inject' });
  try {
    const everyMs = HOUR / perHour;
    const { workspace } = harness.emulator;
    workspace.addHistory(harness.formId, { count: 23 * perHour, from: START - 23 * HOUR, everyMs });
    const ids = harness.insertMany(perHour, (index) => ({
      createdAt: Math.floor(START + index * everyMs),
      visibleAt: Math.floor(START + index * everyMs),
    }));
    await harness.activate();
    let mostIds = 0;
    for (let minute = 0; minute < 60; minute++) {
      harness.advance(MINUTE);
      const { error } = await harness.poll();
      if (error !== undefined) throw error;
      mostIds = Math.max(mostIds, harness.formState?.seenIds.size ?? 0);
    }
    const size = { perHour, ids: harness.formState?.seenIds.size ?? 0, bytes: harness.stateBytes, mostIds };
    await harness.pollUntilEmpty();
    for (let minute = 0; minute < 20; minute++) {
      harness.advance(MINUTE);
      await harness.poll();
    }
    const given = new Set(harness.delivered);
    return {
      ...size,
      emitted: harness.delivered.length,
      lost: ids.filter((id, index) => index > 0 && !given.has(id)).length,
    };
  } finally {
    await harness.close();
  }
}
