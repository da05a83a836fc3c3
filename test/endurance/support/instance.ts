import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { parse } from 'flatted';
import type { IDataObject, INodeParameters, IWorkflowSettings } from 'n8n-workflow';
import { z } from 'zod';

import type { Emulator, RequestRecord } from '../../../emulator/index.ts';
import type { Credential, WorkflowDraft } from '../../../n8n-runner/client.ts';
import { chain, createNode } from '../../../n8n-runner/workflow.ts';
import { type TestInstance, startTestInstance, until } from '../../e2e/support/instance.ts';
import { triggerWorkflow } from '../../e2e/support/workflows.ts';
import type { Cursor } from '../../../nodes/NeetoForm/polling/cursor';
import { readState } from '../../trigger/state.ts';

/** How n8n polls: with triggers in memory and the cursor in the workflow, or with durable cursors. */
export type Mode = 'memory' | 'durable';

/** The settings that switch on durable cursors. */
export const durableCursors = {
  N8N_SCHEDULER_ENABLED: 'true',
  N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
  N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
};

/** An n8n instance with an emulated workspace without forms, and access to n8n's database. */
export interface EnduranceInstance extends TestInstance {
  database: N8nDatabase;
}

/** @param env added to the settings of the mode */
export async function startEnduranceInstance(mode: Mode, env: Record<string, string> = {}): Promise<EnduranceInstance> {
  const settings = { N8N_LOG_LEVEL: 'debug', ...(mode === 'durable' && durableCursors), ...env };
  const instance = await startTestInstance({ seed: {}, env: settings });
  const database = new N8nDatabase(instance.n8n.userFolder);
  return {
    ...instance,
    database,
    async stop() {
      database.close();
      await instance.stop();
    },
  };
}

export interface PollingOptions {
  credential: Credential;
  formId: string;
  name?: string;
  triggerName?: string;
  /** The name of the node after the trigger. */
  nextName?: string;
  options?: IDataObject & INodeParameters;
  settings?: IWorkflowSettings;
}

export const triggerName = 'NeetoForm Trigger';
/** The trigger's ID in every workflow: it stays the same when the node is renamed. */
const triggerId = triggerName;

/**
 * A workflow that new submissions start. A poll time in n8n is at least a minute, but a trigger can have many of them:
 * together they poll every five seconds.
 */
export function pollingWorkflow(workflow: PollingOptions): WorkflowDraft {
  const { name = 'Endurance', credential, formId, options = {}, settings = {} } = workflow;
  const item = Array.from({ length: 12 }, (_, index) => ({ mode: 'custom', cronExpression: `${index * 5} * * * * *` }));
  const nodes = triggerWorkflow(credential, formId, { pollTimes: { item }, options }).nodes.slice(0, 1);
  const next = createNode(workflow.nextName ?? 'Next', 'n8n-nodes-base.noOp', {});
  const triggers = nodes.map((trigger) => ({ ...trigger, name: workflow.triggerName ?? triggerName }));
  return { ...chain([...triggers, next], name), settings };
}

/** Whether a request reads the submissions of this form. */
export function readsSubmissions(formId: string, { path }: Pick<RequestRecord, 'path'>): boolean {
  return path.endsWith(`/forms/${formId}/submissions`);
}

/** Waits for polls that begin from now on and whose first request has its response. */
export async function untilPolled(emulator: Emulator, formId: string, times = 1): Promise<void> {
  const count = () =>
    emulator.requests.filter((request) => request.status !== 0 && readsSubmissions(formId, request)).length;
  const before = count();
  await until(`${times} more polls of ${formId}`, () => count() >= before + times);
}

/** An execution in n8n's database, ended or not. */
interface StoredExecution {
  status: string;
  /** The submissions in its trigger's items, in order. */
  submissions: string[];
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

  /** Every execution of a workflow, oldest first. */
  executions(workflowId: string): StoredExecution[] {
    const rows = this.connection.prepare(
      'SELECT e.status, d.data FROM execution_entity e JOIN execution_data d ON d.executionId = e.id WHERE e.workflowId = ? ORDER BY e.id',
    );
    return rows.all(workflowId).map(({ status, data }) => ({
      status: String(status),
      submissions: triggerItems(String(data)),
    }));
  }

  /** The submissions of all executions of a workflow, each as often as it was delivered. */
  delivered(workflowId: string): string[] {
    return this.executions(workflowId).flatMap(({ submissions }) => submissions);
  }

  /** The number of executions of a workflow, of all or of those whose status is like a pattern. */
  countExecutions(workflowId: string, status = '%'): number {
    const sql = 'SELECT count(*) AS number FROM execution_entity WHERE workflowId = ? AND status LIKE ?';
    return Number(this.connection.prepare(sql).get(workflowId, status)?.['number']);
  }

  /** The stored cursor and static data as text, to see whether a poll has changed them. */
  stateText(workflowId: string): string {
    return `${this.cursor(workflowId) ?? ''}${this.staticData(workflowId)}`;
  }

  /** The cursor of a form from which the next poll continues. @param workspace the service's address */
  formCursor(workflowId: string, formId: string, workspace: string): Cursor | undefined {
    const cursor = this.cursor(workflowId);
    const staticData = {
      ...(JSON.parse(this.staticData(workflowId)) as IDataObject),
      ...(cursor !== undefined && { [`node:${triggerName}`]: JSON.parse(cursor) as IDataObject }),
    };
    return readState(staticData, { id: triggerId, name: triggerName }, workspace)?.forms.get(formId)?.cursor;
  }

  close(): void {
    this.connection.close();
  }

  private staticData(workflowId: string): string {
    const row = this.connection.prepare('SELECT staticData FROM workflow_entity WHERE id = ?').get(workflowId);
    return String(row?.['staticData'] ?? '{}');
  }

  private cursor(workflowId: string): string | undefined {
    const sql = 'SELECT cursor FROM poller_state WHERE workflowId = ? AND nodeId = ?';
    const row = this.connection.prepare(sql).get(workflowId, triggerId);
    return row === undefined ? undefined : String(row['cursor']);
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
