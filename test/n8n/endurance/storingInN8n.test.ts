import { setTimeout as sleep } from 'node:timers/promises';

import { live } from '../../support/life.ts';
import { until, useTestInstance } from '../e2e/support/instance.ts';
import {
  type PollingOptions,
  databaseOf,
  pollingWorkflow,
  publishAgain,
  storing,
  untilPolled,
} from './support/storing.ts';

/** ms. Where n8n does not store what a poll returned, the trigger waits for five minutes before it emits the same again. */
const DELIVERY_MS = 380_000;

const TEST_MS = 1_800_000;

describe.each(Object.entries(storing))('with n8n storing as in "%s", an active workflow', (_way, env) => {
  const instance = useTestInstance({ seed: {}, env });

  it(
    'delivers each submission once through pauses, restarts, new names and other edits, and of another form only new ones',
    async () => {
      const { activate, client, credential, emulator, n8n } = instance();
      const { workspace } = emulator;
      const database = databaseOf(n8n);
      const [first = '', second = ''] = ['One form', 'Another form'].map((title) => workspace.addForm({ title }).id);
      for (const formId of [first, second]) workspace.addSubmission(formId);
      let options: PollingOptions = { credential, formId: first };
      const { id } = await activate(pollingWorkflow(options));
      // n8n publishes in the background: what is submitted before the first poll has ended counts as earlier.
      const untilStored = async () =>
        await until('the state is stored', () => database.stateText(id).includes(options.formId));
      await untilStored();
      await live({
        submit: (count) => Array.from({ length: count }, () => workspace.addSubmission(options.formId).id),
        publish: async ({ formId, answerNames, ...edit }) => {
          if (formId) options = { ...options, formId: formId === 'first' ? first : second };
          options = { ...options, ...edit, ...(answerNames && { options: { answerNames } }) };
          await publishAgain(client, id, options);
          await untilStored();
        },
        unpublish: async () => await client.deactivate(id),
        restart: async () => await n8n.restart(),
        deliver: async (count) => {
          await until(`${count} are delivered`, () => new Set(database.delivered(id)).size >= count, {
            withinMs: DELIVERY_MS,
          });
          await untilPolled(emulator, options.formId, 2);
          await sleep(1_000);
          return database.delivered(id);
        },
      });
    },
    TEST_MS,
  );

  it(
    'delivers each submission once when it is published again, or unpublished, while a poll finds them',
    async () => {
      const { activate, client, credential, emulator, n8n } = instance();
      const database = databaseOf(n8n);
      const formId = emulator.workspace.addForm({ title: 'A form' }).id;
      let options: PollingOptions = { credential, formId };
      const { id } = await activate(pollingWorkflow(options));
      await until('the state is stored', () => database.stateText(id).includes(formId));
      const submitted: string[] = [];
      const isRunning = () =>
        emulator.requests.some(({ status, path }) => status === 0 && path.endsWith(formId + '/submissions'));
      /** Does something while a poll waits for the page with new submissions. */
      const inPoll = async (act: () => Promise<unknown>) => {
        await untilPolled(emulator, formId);
        submitted.push(...[1, 2].map(() => emulator.workspace.addSubmission(formId).id));
        const end = emulator.fail({ when: { path: /submissions$/, times: Infinity }, with: { delayMs: 3_000 } });
        await until('a poll waits', isRunning);
        await act();
        end();
        await until('it has ended', () => !isRunning());
      };
      const publish = async (name: string) => {
        options = { ...options, name };
        await publishAgain(client, id, options);
      };
      const check = async () => {
        await until('all are delivered', () => new Set(database.delivered(id)).size >= submitted.length, {
          withinMs: DELIVERY_MS,
        });
        await untilPolled(emulator, formId, 2);
        await sleep(1_000);
        expect(database.delivered(id).sort()).toEqual(submitted.toSorted());
      };
      await inPoll(async () => await publish('New answers'));
      await check();
      await inPoll(async () => await client.deactivate(id));
      await sleep(5_000);
      await publish('Answers');
      await check();
    },
    TEST_MS,
  );
});
