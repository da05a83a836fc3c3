/** A form, and what people submit to it, in the workspace of a harness: set up by each test of a file. */

import type { INodeExecutionData } from 'n8n-workflow';
import type { Form, Json, QuestionInput, SubmissionInput } from '../../emulator/index.ts';
import { useHarness, type Options, type Parameters } from '../support/harness';

export const harness = useHarness();

export let form: Form;
export function formWith(...questions: QuestionInput[]): void {
  form = harness.emulator.workspace.addForm({ title: 'Form', questions });
}

let age = 0;
export function submit(answers: Record<string, Json>, more: SubmissionInput = {}): void {
  const createdAt = Date.parse('2026-02-09T08:00:00Z') + age++ * 1000;
  harness.emulator.workspace.addSubmission(form.id, { createdAt, answers, ...more });
}

/** Reads the submissions, oldest first. */
export async function readForm(more: Parameters = {}, run: Options = {}): Promise<INodeExecutionData[]> {
  const getAll = { resource: 'submission', operation: 'getAll', formId: form.id, sort: { order: 'asc' } };
  return await harness.run({ ...getAll, ...more }, run);
}
