import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { until, useTestInstance } from '../e2e/support/instance.ts';
import { databaseOf, pollingWorkflow, storing, untilPolled } from './support/storing.ts';

interface Watched {
  id: string;
  formId: string;
  submitted: string[];
}

/** After a kill while it starts a trigger, n8n tries again after this time (by default two minutes). */
const shortLease = { N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '60' };

// In the other ways of storing, n8n itself loses or repeats what it was about to store.
describe('n8n with durable cursors, killed after activations and in the middle of polls', () => {
  const instance = useTestInstance({ seed: {}, env: { ...storing.durable, ...shortLease } });

  // n8n starts more than twenty times, which takes about five minutes on an idle computer.
  it('starts the workflow once for every submission', async () => {
    const { activate, credential, emulator, n8n } = instance();
    const database = databaseOf(n8n);
    const watched: Watched[] = [];
    // Long enough for a kill before the response.
    emulator.quirks.latencyMs = 60;

    /** When n8n is killed after a poll began: at the first change of one of these. */
    const moments: Array<(workflow: Watched) => unknown> = [
      () => emulator.requests.length,
      () => emulator.requests.filter(({ status }) => status !== 0).length,
      ({ id }) => database.stateText(id),
      ({ id }) => database.countExecutions(id),
      ({ id }) => database.countExecutions(id, 'success'),
    ];
    const activateAnother = async (): Promise<Watched> => {
      const { id: formId } = emulator.workspace.addForm({ title: `Form ${watched.length + 1}` });
      const { id } = await activate(pollingWorkflow({ credential, formId }));
      await until('the first poll is stored', () => database.stateText(id).includes(formId));
      const added = { id, formId, submitted: [] };
      watched.push(added);
      return added;
    };
    const submit = ({ formId, submitted }: Watched, count: number) => {
      for (let added = 0; added < count; added++) submitted.push(emulator.workspace.addSubmission(formId).id);
    };
    // n8n exits while it recovers from a kill if an execution was stored but not started; the next start works.
    const start = async () =>
      await n8n.restart().catch(async (error: unknown) => {
        if (!String(error).includes("reading 'getTime'")) throw error;
        await n8n.restart();
      });

    for (let workflows = 0; workflows < 2; workflows++) await activateAnother();
    for (let kills = 0; kills < 3; kills++) {
      const added = await activateAnother();
      submit(added, randomInt(3));
      await sleep(randomInt(300));
      await n8n.kill9();
      submit(added, randomInt(1, 3));
      await start();
      await untilPolled(emulator, added.formId);
    }
    await n8n.kill9();
    for (let kills = 0; kills < 19; kills++) {
      const [target, look] = [anyOf(watched), anyOf(moments)];
      // A kill in the first poll after a start may interrupt the start.
      const isFirst = randomInt(2) === 0;
      const starting = start().catch((error: unknown) => {
        if (!isFirst) throw error;
      });
      if (!isFirst) {
        await starting;
        await untilPolled(emulator, target.formId);
        await sleep(randomInt(500, 1_500));
      }
      const before = look(target);
      // Sometimes more than a page, and perhaps some of another form.
      submit(target, randomInt(6) === 0 ? randomInt(101, 231) : randomInt(1, 5));
      submit(anyOf(watched), randomInt(3));
      await until(`a change of ${String(look)}`, () => look(target) !== before, { everyMs: 1 });
      await sleep(randomInt(50));
      await n8n.kill9();
      await starting;
    }

    await start();
    const isDelivered = ({ id, submitted }: Watched) => new Set(database.delivered(id)).size >= submitted.length;
    // What is missing then is named below.
    await until('every submission is delivered', () => watched.every(isDelivered)).catch(() => undefined);
    await Promise.all(watched.map(async ({ formId }) => await untilPolled(emulator, formId, 3)));
    await sleep(2_000);
    const delivered = watched.map(({ id }) => database.delivered(id).sort());
    expect(delivered).toEqual(watched.map(({ submitted }) => submitted.sort()));
  }, 1_800_000);
});

function anyOf<T>(items: T[]): T {
  const item = items[randomInt(items.length)];
  if (item === undefined) throw new Error('There is nothing to choose from');
  return item;
}
