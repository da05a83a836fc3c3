import { createWorld, HOUR, MINUTE, START } from './world';

export interface StateSize {
  perHour: number;
  /** Ids held at the end of the day. */
  ids: number;
  /** Bytes of all that n8n stores of the workflow's state: the node's own and the copy under its id. */
  bytes: number;
  /** The most ids held at once in the last hour. */
  mostIds: number;
  handedOut: number;
  lost: number;
}

/**
 * The state after a day of so many submissions per hour, polled every minute. What is older than the look-back leaves no trace in it,
 * so the trigger is activated for the last hour of the day only.
 */
export async function stateSizeAfterADay(perHour: number): Promise<StateSize> {
  const world = await createWorld({ transport: 'inject' });
  try {
    const everyMs = HOUR / perHour;
    const { workspace } = world.emulator;
    workspace.addHistory(world.formId, { count: 23 * perHour, from: START - 23 * HOUR, everyMs });
    const ids = world.insertMany(perHour, (index) => ({
      createdAt: Math.floor(START + index * everyMs),
      visibleAt: Math.floor(START + index * everyMs),
    }));
    await world.activate();
    let mostIds = 0;
    for (let minute = 0; minute < 60; minute++) {
      world.advance(MINUTE);
      const { error } = await world.poll();
      if (error !== undefined) throw error;
      mostIds = Math.max(mostIds, world.state?.seen.size ?? 0);
    }
    const size = { perHour, ids: world.state?.seen.size ?? 0, bytes: world.stateBytes, mostIds };
    await world.drain();
    for (let minute = 0; minute < 20; minute++) {
      world.advance(MINUTE);
      await world.poll();
    }
    const given = new Set(world.delivered);
    return {
      ...size,
      handedOut: world.delivered.length,
      lost: ids.filter((id, index) => index > 0 && !given.has(id)).length,
    };
  } finally {
    await world.close();
  }
}
