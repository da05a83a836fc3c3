import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import type { Credential, WorkflowDraft } from '../../../n8n-runner/client.ts';
import { repositoryFolder } from '../../../n8n-runner/paths.ts';
import { chain, createNode } from '../../../n8n-runner/workflow.ts';

/** The manual trigger of these workflows. */
export const startNode = 'Start';

/** A workflow with one step: the NeetoForm node. */
export function actionWorkflow(credential: Credential, parameters: INodeParameters): WorkflowDraft {
  return chain([
    createNode(startNode, 'n8n-nodes-base.manualTrigger', {}),
    {
      ...createNode('NeetoForm', 'n8n-nodes-neetoform.neetoForm', parameters),
      credentials: { neetoFormApi: credential },
    },
  ]);
}

/** A workflow that new submissions start, followed by a node that does nothing. */
export function triggerWorkflow(credential: Credential, formId: string, over: INodeParameters = {}): WorkflowDraft {
  const parameters = {
    pollTimes: { item: [{ mode: 'everyMinute' }] },
    formId: byId(formId),
    output: 'simplified',
    options: {},
    ...over,
  };
  return chain([
    {
      ...createNode('NeetoForm Trigger', 'n8n-nodes-neetoform.neetoFormTrigger', parameters),
      credentials: { neetoFormApi: credential },
    },
    createNode('Next', 'n8n-nodes-base.noOp', {}),
  ]);
}

/** The value of a resource locator in its ID mode. */
export function byId(value: string): IDataObject & { __rl: true; mode: string; value: string } {
  return { __rl: true, mode: 'id', value };
}

/** A workflow as n8n exports it. */
export type Example = WorkflowDraft & { pinData: IDataObject; active: boolean; tags: string[] };

const examplesFolder = join(repositoryFolder, 'examples');

/** The files of all examples. */
export const exampleFiles: string[] = readdirSync(examplesFolder).filter((name) => name.endsWith('.json'));

/** Reads an example. */
export function readExample(file: string): Example {
  return JSON.parse(readFileSync(join(examplesFolder, file), 'utf8')) as Example;
}

/** What the notes of an example ask for: chooses the credential, and the form where one must be chosen. */
export function fillInExample(example: Example, credential: Credential, formId?: string): Example {
  return {
    ...example,
    nodes: example.nodes.map((node) => {
      if (!needsCredential(node)) return node;
      const { formId: locator } = node.parameters as { formId?: { value?: unknown } };
      const isAsked = locator?.value === '' && formId !== undefined;
      const parameters = isAsked ? { ...node.parameters, formId: byId(formId) } : node.parameters;
      return { ...node, parameters, credentials: { neetoFormApi: credential } };
    }),
  };
}

/** Whether a node, trigger or tool belongs to this package. */
export function isOurs({ type }: INode): boolean {
  return type.startsWith('n8n-nodes-neetoform.');
}

/** Whether a node needs the NeetoForm credential: one of ours, or a request with it. */
export function needsCredential(node: INode): boolean {
  return isOurs(node) || node.parameters['nodeCredentialType'] === 'neetoFormApi';
}

/** Answers to the sample workspace's form "Contact us", by the names of the page's fields. */
export const contactAnswers = {
  'full-name[first_name]': 'Grace',
  'full-name[last_name]': 'Hopper',
  'email-address': 'grace.hopper@example.org',
  'type-a-question': 'Sales',
  'type-a-question-2': 'First line\nsecond line',
};

/** Submits a form on its page, the way a browser does. */
export async function submitForm(attemptUrl: string, answers: Record<string, string>): Promise<void> {
  const response = await fetch(attemptUrl, { method: 'POST', body: new URLSearchParams(answers) });
  if (!response.ok) throw new Error(`The form's page responded with ${response.status}: ${await response.text()}`);
}
