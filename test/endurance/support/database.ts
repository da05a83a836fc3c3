import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { parse } from 'flatted';
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';

import { type KeptState, keptState } from '../../trigger/state.ts';
import { triggerId } from './workflows.ts';

/** An execution that n8n has stored, whether or not it got to its end. */
export interface StoredExecution {
  id: number;
  status: string;
  /** The submissions it was started with, in order. */
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

/** n8n's own database, read beside it: also when n8n was killed. */
export class N8nDatabase {
  private readonly connection: DatabaseSync;

  /** What an execution was started with never changes. */
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
        startedWith(
          data,
          workflowVersion.parse(JSON.parse(workflowData)).nodes.find((node) => node.id === triggerId)?.name,
        );
      this.submissionsOf.set(id, submissions);
      return { id, status, submissions };
    });
  }

  /** How many executions of a workflow there are, counting only those that ended well if so asked. */
  countExecutions(workflowId: string, ended = false): number {
    const ofStatus = ended ? "AND status = 'success'" : '';
    return numberRow.parse(
      this.connection
        .prepare(`SELECT count(*) AS number FROM execution_entity WHERE workflowId = ? ${ofStatus}`)
        .get(workflowId),
    ).number;
  }

  /** What n8n keeps of the trigger's place, as it is written: a poll that advances changes it. */
  stateText(workflowId: string): string {
    return `${this.cursorText(workflowId) ?? ''}${this.staticDataText(workflowId)}`;
  }

  /** The bytes of it. */
  stateSize(workflowId: string): number {
    return Buffer.byteLength(this.stateText(workflowId));
  }

  /** Where the next poll would go on. */
  state(workflowId: string, triggerName: string, formId: string): KeptState | undefined {
    const staticData = JSON.parse(this.staticDataText(workflowId)) as IDataObject;
    const cursor = this.cursorText(workflowId);
    const withCursor =
      cursor === undefined ? staticData : { ...staticData, [`node:${triggerName}`]: JSON.parse(cursor) as IDataObject };
    return keptState(withCursor, { id: triggerId, name: triggerName }, formId);
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

/** The trigger's items: in its result when it has run, on the stack when it has not. A poll that failed gave an empty one. */
function startedWith(data: string, triggerName = ''): string[] {
  const { resultData, executionData } = runData.parse(parse(data));
  const run = resultData.runData[triggerName]?.flatMap((result) => result.data ?? []) ?? [];
  const waiting =
    executionData?.nodeExecutionStack.filter(({ node }) => node.id === triggerId).map((entry) => entry.data) ?? [];
  return (run.length > 0 ? run : waiting)
    .flatMap(({ main }) => main.flatMap((output) => output ?? []))
    .flatMap(({ json }) => (typeof json['id'] === 'string' ? json['id'] : []));
}
