import { type TestInstance, startTestInstance } from '../../e2e/support/instance.ts';
import { N8nDatabase } from './database.ts';

/** How n8n polls: with triggers in memory and the cursor in the workflow, or with durable cursors. */
export type Mode = 'memory' | 'durable';

/** The settings that switch on durable cursors. */
export const durableCursors = {
  N8N_SCHEDULER_ENABLED: 'true',
  N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
  N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
};

/** The log line for a poll that returned items. */
export const receivedLine = 'Received event to trigger execution for workflow';

/** An n8n instance with an emulated workspace without forms, and access to n8n's database. */
export interface EnduranceInstance extends TestInstance {
  database: N8nDatabase;
}

/** @param env added to the settings of the mode */
export async function startEnduranceInstance(mode: Mode, env: Record<string, string> = {}): Promise<EnduranceInstance> {
  const settings = { N8N_LOG_LEVEL: 'debug', ...(mode === 'durable' && durableCursors), ...env };
  const instance = await startTestInstance({}, undefined, settings);
  const database = new N8nDatabase(instance.userFolder);
  return {
    ...instance,
    database,
    async stop() {
      database.close();
      await instance.stop();
    },
  };
}
