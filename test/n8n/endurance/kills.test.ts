import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { until, useTestInstance } from '../e2e/support/instance.ts';
import { databaseOf, pollingWorkflow, storing, untilPolled } from './support/storing.ts';

// In the other ways of storing, n8n itself loses or repeats what it was about to store.
describe('n8n with durable cursors, killed in the middle of polls', () => {
  const instance = useTestInstance({ seed: {}, env: storing.durable });

  it('starts the workflow once for every submission', async () => {
    const { activate, credential, emulator, n8n } = instance();
    const database = databaseOf(n8n);
    const { id: formId } = emulator.workspace.addForm({ title: 'Form' });
    const { id } = await activate(pollingWorkflow({ credential, formId }));
    await until('the first poll is stored', () => database.stateText(id).includes(formId));
    // Long enough for a kill before the response.
    emulator.quirks.latencyMs = 60;
    /** When n8n is killed after something was submitted: at the first change of one of these. */
    const moments: Array<() => unknown> = [
      () => emulator.requests.length,
      () => emulator.requests.filter(({ status }) => status !== 0).length,
      () => database.stateText(id),
      () => database.countExecutions(id),
      () => database.countExecutions(id, 'success'),
    ];

    const submitted: string[] = [];
    for (let kills = 0; kills < 20; kills++) {
      const look = moments[kills % moments.length];
      const before = look?.();
      // Sometimes more than a page.
      for (let count = kills % 6 === 0 ? 130 : randomInt(1, 5); count > 0; count--)
        submitted.push(emulator.workspace.addSubmission(formId).id);
      await until(`a change of ${String(look)}`, () => look?.() !== before, { everyMs: 1 });
      await sleep(randomInt(50));
      await n8n.kill9();
      // n8n exits while it recovers from a kill if an execution was stored but not started; the next start works.
      await n8n.restart().catch(async (error: unknown) => {
        if (!String(error).includes("reading 'getTime'")) throw error;
        await n8n.restart();
      });
    }

    const isDelivered = () => new Set(database.delivered(id)).size >= submitted.length;
    // What is missing then is named below.
    await until('every submission is delivered', isDelivered).catch(() => undefined);
    await untilPolled(emulator, formId, 3);
    await sleep(2_000);
    expect(database.delivered(id).sort()).toEqual(submitted.sort());
  }, 1_200_000);
});
