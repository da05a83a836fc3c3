import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject, INode } from 'n8n-workflow';

import type { Execution, WorkflowDraft } from '../../../../n8n-runner/client.ts';
import { repositoryFolder } from '../../../../n8n-runner/paths.ts';
import { chain, createNode, startNode } from '../../../../n8n-runner/workflow.ts';
import type { TestInstance } from './instance.ts';
import { byId } from './workflows.ts';

/** A workflow as n8n exports it. */
export type Example = WorkflowDraft & { pinData: IDataObject; active: boolean; tags: string[] };

const examplesFolder = join(repositoryFolder, 'examples');

export const exampleFiles: string[] = readdirSync(examplesFolder).filter((name) => name.endsWith('.json'));

/** Reads an example. */
export function readExample(file: string): Example {
  return JSON.parse(readFileSync(join(examplesFolder, file), 'utf8')) as Example;
}

/** Whether a node, trigger or tool belongs to this package. */
export function isOurs({ type }: INode): boolean {
  return type.startsWith('n8n-nodes-neetoform.');
}

/** Whether a node needs the NeetoForm credential: one of ours, or a request with it. */
export function needsCredential(node: INode): boolean {
  return isOurs(node) || node.parameters['nodeCredentialType'] === 'neetoFormApi';
}

export function exampleTools(instance: () => TestInstance) {
  return {
    /** An example, filled in as its notes ask for it. @param changes what else is changed of a node, and of its parameters, by its name */
    imported(file: string, changes: Record<string, Partial<INode>> = {}, formTitle?: string): WorkflowDraft {
      const { credential: neetoFormApi, formId } = instance();
      const fillIn = (node: INode): INode => {
        const { formId: locator } = node.parameters as { formId?: { value?: unknown } };
        const isAsked = locator?.value === '' && formTitle !== undefined;
        const { parameters, ...change } = changes[node.name] ?? {};
        return {
          ...node,
          ...(needsCredential(node) && { credentials: { neetoFormApi } }),
          ...change,
          parameters: { ...node.parameters, ...(isAsked && { formId: byId(formId(formTitle)) }), ...parameters },
          name: node.name,
          position: node.position,
        };
      };
      const example = readExample(file);
      return { ...example, nodes: example.nodes.map(fillIn) };
    },
    /** The executions of a workflow that have ended, oldest first, once this node has returned as many items. */
    async executionsWith(items: number, node: string, workflowId: string): Promise<Execution[]> {
      const areComplete = (ended: Execution[]) => ended.flatMap(({ itemsOf }) => itemsOf(node)).length >= items;
      return await instance().executions(workflowId, areComplete);
    },
    /** What a data table contains, as a workflow reads it. */
    async rowsOf(table: string): Promise<IDataObject[]> {
      const dataTableId = { __rl: true, mode: 'name', value: table };
      const parameters = { resource: 'row', operation: 'get', dataTableId, returnAll: true };
      const rows = createNode('Rows', 'n8n-nodes-base.dataTable', parameters, 1.1);
      return jsonOf(await instance().run(chain([startNode(), rows])), 'Rows');
    },
  };
}

/** A Code node. */
export function codeNode(jsCode: string): INode {
  return createNode('Code', 'n8n-nodes-base.code', { jsCode }, 2);
}

/** A node that returns the name and the text of the first item's file. */
export function fileReaderNode(): INode {
  return codeNode(
    "return [{ json: { name: $input.first().binary.data.fileName, text: (await this.helpers.getBinaryDataBuffer(0, 'data')).toString() } }];",
  );
}

/** A node that returns these values. */
export function valuesNode(values: object): INode {
  return codeNode(`return [{ json: ${JSON.stringify(values)} }];`);
}

/** The JSON of the items that a node returned. */
export function jsonOf(execution: Execution, node: string): IDataObject[] {
  return execution.itemsOf(node).map(({ json }) => json as IDataObject);
}
