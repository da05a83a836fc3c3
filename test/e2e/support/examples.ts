import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject, INode } from 'n8n-workflow';

import type { Credential, WorkflowDraft } from '../../../n8n-runner/client.ts';
import { repositoryFolder } from '../../../n8n-runner/paths.ts';
import { byId } from './workflows.ts';

/** A workflow as n8n exports it. */
export type Example = WorkflowDraft & { pinData: IDataObject; active: boolean; tags: string[] };

const folder = join(repositoryFolder, 'examples');

/** The files of all examples. */
export const exampleFiles: string[] = readdirSync(folder).filter((name) => name.endsWith('.json'));

/** Reads an example afresh. */
export function readExample(file: string): Example {
  return JSON.parse(readFileSync(join(folder, file), 'utf8')) as Example;
}

/** Does what an example's note asks everyone to do: chooses the credential, and the form where one is asked for. */
export function filledIn(example: Example, credential: Credential, formId?: string): Example {
  return {
    ...example,
    nodes: example.nodes.map((node) => (isOurs(node) ? withChoices(node, credential, formId) : node)),
  };
}

/** Whether a node, a trigger or a tool is one of this package. */
export function isOurs({ type }: INode): boolean {
  return type.startsWith('n8n-nodes-neetoform.');
}

function withChoices(node: INode, credential: Credential, formId: string | undefined): INode {
  const { formId: asked } = node.parameters as { formId?: { value?: unknown } };
  const parameters =
    asked?.value === '' && formId !== undefined ? { ...node.parameters, formId: byId(formId) } : node.parameters;
  return { ...node, parameters, credentials: { neetoFormApi: { id: credential.id, name: credential.name } } };
}
