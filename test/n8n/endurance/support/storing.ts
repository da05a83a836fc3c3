import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { parse } from 'flatted';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import type { Emulator } from '../../../../emulator/index.ts';
import type { Credential, WorkflowDraft } from '../../../../n8n-runner/client.ts';
import type { RunningN8n } from '../../../../n8n-runner/launch.ts';
import { TRIGGER, chain, neetoFormTrigger, nextNode } from '../../../../n8n-runner/workflow.ts';
import { until } from '../../e2e/support/instance.ts';
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

export interface PollingOptions {
  credential: Credential;
  formId: string;
  name?: string;
  /** The name of the node behind the trigger. */
  next?: string;
  options?: IDataObject & INodeParameters;
}

/** A workflow that polls every five seconds: a poll time in n8n is at least a minute, but a trigger can have twelve of them. */
export function pollingWorkflow({
  credential,
  formId,
  options = {},
  name = TRIGGER,
  next,
}: PollingOptions): WorkflowDraft {
  const item = Array.from({ length: 12 }, (_, index) => ({ mode: 'custom', cronExpression: `${index * 5} * * * * *` }));
  const parameters = { pollTimes: { item }, formId: byId(formId), output: 'simplified', options };
  return chain([{ ...neetoFormTrigger(credential, parameters), name }, nextNode(next)]);
}

/** Waits for polls that begin from now on and whose first request has its response. */
export async function untilPolled({ requests }: Emulator, formId: string, times = 1): Promise<void> {
  const count = () =>
    requests.filter(({ status, path }) => status !== 0 && path.endsWith(`/forms/${formId}/submissions`)).length;
  const before = count();
  await until(`${times} more polls of ${formId}`, () => count() >= before + times);
}

const outputs = z.object({ main: z.array(z.array(z.object({ json: z.record(z.unknown()) })).nullable()) });
const runData = z.object({
  resultData: z.object({ runData: z.record(z.array(z.object({ data: outputs.optional() }))) }),
  executionData: z.object({ nodeExecutionStack: z.array(z.object({ data: outputs })) }).optional(),
});

/** What n8n's SQLite database has of a workflow, while n8n runs and after it was killed. */
export function databaseOf({ userFolder }: RunningN8n) {
  const path = join(userFolder, '.n8n', 'database.sqlite');
  const connection = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  const valuesOf = (sql: string, ...parameters: string[]) =>
    connection
      .prepare(sql)
      .all(...parameters)
      .map(({ value }) => String(value));
  return {
    /** The submissions in the trigger's items of all executions, ended or not, each as often as it was delivered. */
    delivered: (workflowId: string): string[] =>
      valuesOf(
        'SELECT data AS value FROM execution_data JOIN execution_entity e ON e.id = executionId WHERE e.workflowId = ?',
        workflowId,
      ).flatMap(triggerItems),
    /** The number of executions, of all or of those with a status. */
    countExecutions: (workflowId: string, status = '%'): number =>
      valuesOf('SELECT id AS value FROM execution_entity WHERE workflowId = ? AND status LIKE ?', workflowId, status)
        .length,
    /** What n8n has stored of the trigger, as text: it holds the IDs of its forms. */
    stateText: (workflowId: string): string =>
      valuesOf(
        `SELECT staticData AS value FROM workflow_entity WHERE id = ?
          UNION ALL SELECT cursor FROM poller_state WHERE workflowId = ? AND nodeId = '${TRIGGER}'`,
        workflowId,
        workflowId,
      ).join(),
  };
}

/** The IDs in the trigger's items. Until the execution is over, they are on the stack: after a kill, the result has an item of n8n's own. */
function triggerItems(data: string): string[] {
  const { resultData, executionData } = runData.parse(parse(data));
  const [ran] = Object.values(resultData.runData).flat();
  const { main } = executionData?.nodeExecutionStack[0]?.data ?? ran?.data ?? { main: [] };
  return main
    .flatMap((output) => output ?? [])
    .flatMap(({ json }) => (typeof json['id'] === 'string' ? json['id'] : []));
}
