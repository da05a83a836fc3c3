import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { parse } from 'flatted';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import type { Emulator } from '../../../../emulator/index.ts';
import type { Credential, WorkflowDraft } from '../../../../n8n-runner/client.ts';
import { TRIGGER, chain, neetoFormTrigger, nextNode } from '../../../../n8n-runner/workflow.ts';
import { startTestInstance, until } from '../../e2e/support/instance.ts';
import { byId } from '../../e2e/support/workflows.ts';

const scheduler = { N8N_SCHEDULER_ENABLED: 'true', N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true' };

/** The ways in which n8n stores what a trigger remembers, with the settings that choose them. */
export const storing = {
  /** In the workflow, after a poll that found something; triggers are in the memory of the process. n8n's default. */
  memory: {},
  /** The same, but every poll begins with what is stored. */
  scheduler,
  /** Together with the execution, or after a poll that found nothing. */
  durable: { ...scheduler, N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true' },
};

export type Storing = keyof typeof storing;

/** An n8n instance with an emulated workspace without forms, and access to n8n's database. */
export type EnduranceInstance = Awaited<ReturnType<typeof startEnduranceInstance>>;

/** @param env added to the settings that choose how n8n stores */
export async function startEnduranceInstance(way: Storing, env: Record<string, string> = {}) {
  const instance = await startTestInstance({ seed: {}, env: { N8N_LOG_LEVEL: 'debug', ...storing[way], ...env } });
  const database = new N8nDatabase(instance.n8n.userFolder);
  const stop = async () => {
    database.close();
    await instance.stop();
  };
  return { ...instance, database, stop };
}

export interface PollingOptions {
  credential: Credential;
  formId: string;
  name?: string;
  triggerName?: string;
  options?: IDataObject & INodeParameters;
}

/**
 * A workflow that new submissions start. A poll time in n8n is at least a minute, but a trigger can have many of them:
 * together they poll every five seconds.
 */
export function pollingWorkflow(workflow: PollingOptions): WorkflowDraft {
  const { name = 'Endurance', credential, formId, options = {}, triggerName = TRIGGER } = workflow;
  const item = Array.from({ length: 12 }, (_, index) => ({ mode: 'custom', cronExpression: `${index * 5} * * * * *` }));
  const parameters = { pollTimes: { item }, formId: byId(formId), output: 'simplified', options };
  const trigger = { ...neetoFormTrigger(credential, parameters), name: triggerName };
  return chain([trigger, nextNode()], name);
}

/** Waits for polls that begin from now on and whose first request has its response. */
export async function untilPolled(emulator: Emulator, formId: string, times = 1): Promise<void> {
  const count = () =>
    emulator.requests.filter(({ status, path }) => status !== 0 && path.endsWith(`/forms/${formId}/submissions`))
      .length;
  const before = count();
  await until(`${times} more polls of ${formId}`, () => count() >= before + times);
}

const outputs = z.object({ main: z.array(z.array(z.object({ json: z.record(z.unknown()) })).nullable()) });
const runData = z.object({
  resultData: z.object({ runData: z.record(z.array(z.object({ data: outputs.optional() }))) }),
  executionData: z.object({ nodeExecutionStack: z.array(z.object({ data: outputs })) }).optional(),
});

/** n8n's SQLite database, which can be read while n8n runs and after it was killed. */
class N8nDatabase {
  private readonly connection: DatabaseSync;

  constructor(userFolder: string) {
    const path = join(userFolder, '.n8n', 'database.sqlite');
    this.connection = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  }

  /** The submissions in the trigger's items of every execution of a workflow, ended or not, in order. */
  executions(workflowId: string): string[][] {
    const sql =
      'SELECT data FROM execution_data JOIN execution_entity e ON e.id = executionId WHERE e.workflowId = ? ORDER BY e.id';
    const rows = this.connection.prepare(sql).all(workflowId);
    return rows.map(({ data }) => triggerItems(String(data)));
  }

  /** The submissions of all executions of a workflow, each as often as it was delivered. */
  delivered(workflowId: string): string[] {
    return this.executions(workflowId).flat();
  }

  /** The number of executions of a workflow, of all or of those whose status is like a pattern. */
  countExecutions(workflowId: string, status = '%'): number {
    const sql = 'SELECT count(*) AS value FROM execution_entity WHERE workflowId = ? AND status LIKE ?';
    return Number(this.value(sql, workflowId, status));
  }

  /** What n8n has stored of the trigger, as text: it holds the IDs of its forms, and those of their latest submissions that are no UUIDs. */
  stateText(workflowId: string): string {
    const sql = 'SELECT cursor AS value FROM poller_state WHERE workflowId = ? AND nodeId = ?';
    const cursor = this.value(sql, workflowId, TRIGGER);
    const staticData = this.value('SELECT staticData AS value FROM workflow_entity WHERE id = ?', workflowId);
    return `${cursor ?? ''}${staticData ?? ''}`;
  }

  close(): void {
    this.connection.close();
  }

  /** The column `value` of the first row, as text; undefined when there is no row or no value. */
  private value(sql: string, ...parameters: string[]): string | undefined {
    const value = this.connection.prepare(sql).get(...parameters)?.['value'];
    return value == null ? undefined : String(value);
  }
}

/**
 * The IDs in the trigger's items: on the stack while the execution is not over, else in the result. n8n puts an item of its own into
 * the result of an execution that it recovers after a kill. A failed poll has an empty item.
 */
function triggerItems(data: string): string[] {
  const { resultData, executionData } = runData.parse(parse(data));
  const [ran] = Object.values(resultData.runData).flat();
  const { main } = executionData?.nodeExecutionStack[0]?.data ?? ran?.data ?? { main: [] };
  return main
    .flatMap((output) => output ?? [])
    .flatMap(({ json }) => (typeof json['id'] === 'string' ? json['id'] : []));
}
