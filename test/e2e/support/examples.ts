import type { IDataObject, INode } from 'n8n-workflow';

import type { Execution, WorkflowDraft } from '../../../n8n-runner/client.ts';
import { chain, createNode } from '../../../n8n-runner/workflow.ts';
import { type TestInstance, waitForExecutions } from './instance.ts';
import { fillInExample, readExample } from './workflows.ts';

/** What the tests of the examples do with an instance. */
export function exampleTools(instance: () => TestInstance) {
  return {
    /** An example with the credential, and the form with this title chosen. */
    imported(file: string, formTitle?: string): WorkflowDraft {
      const form = formTitle === undefined ? undefined : instance().formId(formTitle);
      return fillInExample(readExample(file), instance().credential, form);
    },
    /** The executions of a workflow, oldest first, once this node has returned as many items. */
    async executionsWith(items: number, node: string, workflowId: string): Promise<Execution[]> {
      return await waitForExecutions(
        instance().client,
        workflowId,
        (started) => started.flatMap(({ itemsOf }) => itemsOf(node)).length >= items,
      );
    },
    /** What a data table contains, as a workflow reads it. */
    async rowsOf(table: string): Promise<IDataObject[]> {
      const dataTableId = { __rl: true, mode: 'name', value: table };
      const parameters = { resource: 'row', operation: 'get', dataTableId, returnAll: true };
      const { id } = await instance().client.createWorkflow(
        chain([
          createNode('Start', 'n8n-nodes-base.manualTrigger', {}),
          createNode('Rows', 'n8n-nodes-base.dataTable', parameters, 1.1),
        ]),
      );
      return jsonOf(await instance().client.run(id, 'Start'), 'Rows');
    },
  };
}

/** The workflow with another node instead of the one of the same name, at the same place. */
export function withNode<T extends WorkflowDraft>(draft: T, node: INode): T {
  return {
    ...draft,
    nodes: draft.nodes.map((each) => (each.name === node.name ? { ...node, position: each.position } : each)),
  };
}

/** A Code node. */
export function codeNode(jsCode: string, name = 'Your Steps'): INode {
  return createNode(name, 'n8n-nodes-base.code', { jsCode }, 2);
}

/** The JSON of the items that a node returned. */
export function jsonOf(execution: Execution, node: string): IDataObject[] {
  return execution.itemsOf(node).map(({ json }) => json as IDataObject);
}

/** A value as text; other values than texts as JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}
