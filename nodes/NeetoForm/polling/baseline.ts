import type { Clock } from '../api/clock';
import { createdMs } from '../api/parse';
import type { AskForPage } from './ask';
import { Harvest, type Cursor } from './cursor';
import { drain } from './drain';

/**
 * Where a trigger begins that knows nothing of its form yet: behind the newest submission, so that nothing of the past is handed
 * out. What was created within the look-back before it is remembered by id, so that a late one among them is still found.
 *
 * @returns undefined when the time did not suffice to read these
 * @throws what `ask` throws
 */
export async function takeBaseline(
  work: { ask: AskForPage; clock: Clock; deadline: number },
  lookbackMs: number,
): Promise<Cursor | undefined> {
  const { rows, serverTime } = await work.ask({ order: 'desc', page: 1 });
  const [newest] = rows;
  if (newest === undefined) return { c: 0, seen: new Map() };
  const newestMs = createdMs(newest);
  // A submission may be dated ahead; what comes after the activation is older then.
  const c = Math.min(newestMs, serverTime ?? newestMs) - lookbackMs;
  // No bounds: nothing is handed out, and to forget one of these would be to repeat it later.
  const known = new Harvest({ c, seen: new Map() }, { room: { left: Infinity }, lookbackMs: -Infinity });
  if (!(await drain({ ...work, harvest: known }, c))) return undefined;
  // What came in meanwhile is new: the first poll after this one hands it out.
  const present = known.taken().filter((row) => createdMs(row) <= newestMs);
  return { c, seen: new Map(present.map((row) => [row.id, createdMs(row)])) };
}
