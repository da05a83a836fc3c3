import type { INodeExecutionData } from 'n8n-workflow';
import type { Form, Json, QuestionInput, SubmissionInput } from '../../emulator/index.ts';
import { type Harness, useHarness, type Options, type Parameters } from '../support/harness';

/** A form, and what people submit to it. Its functions may be taken out of the object: `const { submit } = useFilledForm()`. */
export class FilledForm {
  readonly harness: Harness;
  /** It exists from `formWith` on. */
  form!: Form;
  private age = 0;

  constructor(harness: Harness) {
    this.harness = harness;
  }

  /** Adds the form to the workspace, with these questions. */
  readonly formWith = (...questions: QuestionInput[]): void => {
    this.form = this.harness.emulator.workspace.addForm({ title: 'Form', questions });
  };

  /** Adds a submission, a second after the one before it. @param answers by the slugs of the questions */
  readonly submit = (answers: Record<string, Json>, more: SubmissionInput = {}): void => {
    const createdAt = Date.parse('2026-02-09T08:00:00Z') + this.age++ * 1000;
    this.harness.emulator.workspace.addSubmission(this.form.id, { createdAt, answers, ...more });
  };

  /** Reads the submissions, oldest first. */
  readonly readForm = async (more: Parameters = {}, run: Options = {}): Promise<INodeExecutionData[]> => {
    const getAll = { resource: 'submission', operation: 'getAll', formId: this.form.id, sort: { order: 'asc' } };
    return await this.harness.run({ ...getAll, ...more }, run);
  };
}

/** Starts an emulator before every test of the file, as `useHarness` does. The test adds the form. */
export function useFilledForm(): FilledForm {
  return new FilledForm(useHarness());
}
