import { setTimeout as sleep } from 'node:timers/promises';

import { live } from '../../support/life.ts';
import { credentialFor, until, useTestInstance } from '../e2e/support/instance.ts';
import { type PollingOptions, databaseOf, pollingWorkflow, storing, untilPolled } from './support/storing.ts';

/** ms. Where n8n does not store what a poll returned, the trigger waits for five minutes before it emits the same again. */
const DELIVERY_MS = 380_000;

jest.setTimeout(1_800_000);

describe.each(Object.entries(storing))('with n8n storing as in "%s", an active workflow', (_way, env) => {
  const instance = useTestInstance({ seed: {}, env });

  /** Publishes a workflow. @returns what a user may do with it, and a wait until so many submissions are delivered */
  async function begin(formId: string) {
    const { activate, client, credential, emulator, n8n } = instance();
    const database = databaseOf(n8n);
    let options: PollingOptions = { credential, formId };
    const { id } = await activate(pollingWorkflow(options));
    // n8n publishes in the background: what is submitted before the first poll has ended counts as earlier.
    const untilStored = async () =>
      await until('the state is stored', () => database.stateText(id).includes(options.formId));
    await untilStored();
    return {
      submit: (count: number) =>
        Array.from({ length: count }, () => emulator.workspace.addSubmission(options.formId).id),
      /** Saves the workflow with other options, and publishes it again. */
      publish: async (edit: Partial<PollingOptions>) => {
        options = { ...options, ...edit };
        const { nodes, connections } = pollingWorkflow(options);
        await client.activate(await client.updateWorkflow(id, { nodes, connections }));
        await untilStored();
      },
      unpublish: async () => await client.deactivate(id),
      /** Waits for further polls that fail. */
      fail: async (times: number) => {
        const before = database.countExecutions(id, 'error');
        const hasFailed = () => database.countExecutions(id, 'error') >= before + times;
        await until(`${times} more polls fail`, hasFailed, { withinMs: DELIVERY_MS });
      },
      deliver: async (count: number) => {
        await until(`${count} are delivered`, () => new Set(database.delivered(id)).size >= count, {
          withinMs: DELIVERY_MS,
        });
        await untilPolled(emulator, options.formId, 2);
        await sleep(1_000);
        return database.delivered(id);
      },
    };
  }

  it('delivers each submission once through pauses, restarts, new names and other edits, and of another form only new ones', async () => {
    const { emulator, n8n } = instance();
    const { workspace } = emulator;
    const [first = '', second = ''] = ['One form', 'Another form'].map((title) => workspace.addForm({ title }).id);
    for (const formId of [first, second]) workspace.addSubmission(formId);
    const workflow = await begin(first);
    await live({
      ...workflow,
      publish: async ({ formId, answerNames, ...edit }) => {
        const chosen = formId && { formId: formId === 'first' ? first : second };
        await workflow.publish({ ...edit, ...chosen, ...(answerNames && { options: { answerNames } }) });
      },
      restart: async () => await n8n.restart(),
    });
  });

  it('delivers each submission once when it is published again, or unpublished, while a poll finds them', async () => {
    const { emulator } = instance();
    const formId = emulator.workspace.addForm({ title: 'A form' }).id;
    const { submit, publish, unpublish, deliver } = await begin(formId);
    const submitted: string[] = [];
    const isRunning = () =>
      emulator.requests.some(({ status, path }) => status === 0 && path.endsWith(formId + '/submissions'));
    /** Does something while a poll waits for the page with new submissions. */
    const inPoll = async (act: () => Promise<unknown>) => {
      await untilPolled(emulator, formId);
      submitted.push(...submit(2));
      const end = emulator.fail({ when: { path: /submissions$/, times: Infinity }, with: { delayMs: 3_000 } });
      await until('a poll waits', isRunning);
      await act();
      end();
      await until('it has ended', () => !isRunning());
    };
    const check = async () => expect((await deliver(submitted.length)).sort()).toEqual(submitted.toSorted());
    await inPoll(async () => await publish({ name: 'New answers' }));
    await check();
    await inPoll(unpublish);
    await sleep(5_000);
    await publish({ name: 'Answers' });
    await check();
  });

  it('starts in the workspace of an edited credential when it is unpublished and published, and not when it is only published again', async () => {
    const { client, credential, emulator } = instance();
    const { submit, publish, unpublish, fail, deliver } = await begin(
      emulator.workspace.addForm({ title: 'A form' }).id,
    );
    // The emulator answers under both names, and each is a workspace.
    const baseUrl = emulator.url.replace('127.0.0.1', 'localhost');
    await client.updateCredential(credential, credentialFor(emulator, { baseUrl }));
    try {
      submit(1);
      await fail(1);
      await publish({ next: 'Another node' });
      await fail(2);
      await unpublish();
      await publish({});
      const submitted = submit(2);
      expect((await deliver(2)).sort()).toEqual(submitted.toSorted());
    } finally {
      await client.updateCredential(credential, credentialFor(emulator));
    }
  });
});
