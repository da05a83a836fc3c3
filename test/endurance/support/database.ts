import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { parse } from 'flatted';
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';

import { readStoredState, type StoredForm } from '../../trigger/state.ts';
import { triggerId, triggerName } from './workflows.ts';

/** An execution in n8n's database, ended or not. */
export interface StoredExecution {
  id: number;
  status: string;
  /** The submissions in its trigger's items, in order. */
  submissions: string[];
}

const executionRow = z.object({ id: z.number(), status: z.string(), data: z.string(), workflowData: z.string() });
const workflowVersion = z.object({ nodes: z.array(z.object({ id: z.string(), name: z.string() })) });
const workflowRow = z.object({ staticData: z.string().nullable() });
const cursorRow = z.object({ cursor: z.string() });
const numberRow = z.object({ number: z.number() });
const item = z.object({ json: z.record(z.unknown()) });
const outputs = z.object({ main: z.array(z.array(item).nullable()) });
const runData = z.object({
  resultData: z.object({ runData: z.record(z.array(z.object({ data: outputs.optional() }))) }),
  executionData: z
    .object({ nodeExecutionStack: z.array(z.object({ node: z.object({ id: z.string() }), data: outputs })) })
    .optional(),
});

/** n8n's SQLite database, which can be read while n8n runs and after it was killed. */
export class N8nDatabase {
  private readonly connection: DatabaseSync;

  /** A cache: the items of the trigger never change. */
  private readonly submissionsOf = new Map<number, string[]>();

  constructor(userFolder: string) {
    this.connection = new DatabaseSync(join(userFolder, '.n8n', 'database.sqlite'), {
      readOnly: true,
      timeout: 10_000,
    });
  }

  /** Every execution of a workflow, oldest first. */
  executions(workflowId: string): StoredExecution[] {
    const rows = this.connection.prepare(
      'SELECT e.id, e.status, d.data, d.workflowData FROM execution_entity e JOIN execution_data d ON d.executionId = e.id WHERE e.workflowId = ? ORDER BY e.id',
    );
    return rows.all(workflowId).map((row) => {
      const { id, status, data, workflowData } = executionRow.parse(row);
      const submissions =
        this.submissionsOf.get(id) ??
        triggerItems(
          data,
          workflowVersion.parse(JSON.parse(workflowData)).nodes.find((node) => node.id === triggerId)?.name,
        );
      this.submissionsOf.set(id, submissions);
      return { id, status, submissions };
    });
  }

  /** The number of executions of a workflow; on request only of the successful ones. */
  countExecutions(workflowId: string, successfulOnly = false): number {
    const ofStatus = successfulOnly ? "AND status = 'success'" : '';
    return numberRow.parse(
      this.connection
        .prepare(`SELECT count(*) AS number FROM execution_entity WHERE workflowId = ? ${ofStatus}`)
        .get(workflowId),
    ).number;
  }

  /** The stored cursor and static data as text, to see whether a poll has changed them. */
  stateText(workflowId: string): string {
    return `${this.cursorText(workflowId) ?? ''}${this.staticDataText(workflowId)}`;
  }

  /** The size of that text in bytes. */
  stateSize(workflowId: string): number {
    return Buffer.byteLength(this.stateText(workflowId));
  }

  /** The state of a form from which the next poll continues. */
  formState(workflowId: string, formId: string): StoredForm | undefined {
    const staticData = JSON.parse(this.staticDataText(workflowId)) as IDataObject;
    const cursor = this.cursorText(workflowId);
    const withCursor =
      cursor === undefined ? staticData : { ...staticData, [`node:${triggerName}`]: JSON.parse(cursor) as IDataObject };
    return readStoredState(withCursor, { id: triggerId, name: triggerName })?.forms.get(formId);
  }

  close(): void {
    this.connection.close();
  }

  private staticDataText(workflowId: string): string {
    return (
      workflowRow.parse(this.connection.prepare('SELECT staticData FROM workflow_entity WHERE id = ?').get(workflowId))
        .staticData ?? '{}'
    );
  }

  private cursorText(workflowId: string): string | undefined {
    const row = this.connection
      .prepare('SELECT cursor FROM poller_state WHERE workflowId = ? AND nodeId = ?')
      .get(workflowId, triggerId);
    return row === undefined ? undefined : cursorRow.parse(row).cursor;
  }
}

/** The IDs in the trigger's items: they are in its result when it has run, else on the stack. A failed poll has an empty item. */
function triggerItems(data: string, triggerName = ''): string[] {
  const { resultData, executionData } = runData.parse(parse(data));
  const run = resultData.runData[triggerName]?.flatMap((result) => result.data ?? []) ?? [];
  const waiting =
    executionData?.nodeExecutionStack.filter(({ node }) => node.id === triggerId).map((entry) => entry.data) ?? [];
  return (run.length > 0 ? run : waiting)
    .flatMap(({ main }) => main.flatMap((output) => output ?? []))
    .flatMap(({ json }) => (typeof json['id'] === 'string' ? json['id'] : []));
}
