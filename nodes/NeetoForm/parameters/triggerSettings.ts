import type { IPollFunctions } from 'n8n-workflow';
import { pollOptions, triggerOnField, watchedFormField, watchedFormsField } from '../fields/trigger';
import { parseDownloadSettings } from './downloadSettings';
import { requireId } from './ids';
import { parseOutputOptions } from './outputOptions';
import { FieldReader } from './reader';
import { invalidValue, requireDate, requireOption, requireWholeNumber, splitTexts } from './values';

const FIELDS = { allActive: triggerOnField, one: watchedFormField, several: watchedFormsField };

export type TriggerSettings = ReturnType<typeof readTriggerSettings>;

/** Reads the trigger's parameters. @throws UserError that names the parameter when a value makes no sense */
export function readTriggerSettings(context: IPollFunctions) {
  const read = new FieldReader(context);
  const options = read.within('options');
  const triggerOn = read.value(triggerOnField, requireOption);
  // Somebody may delete a question of the form at any time. A poll must deliver nevertheless; the test event says what is wrong.
  const refuseUnknownQuestions = context.getMode() === 'manual';
  const outputOptions = parseOutputOptions(read, { addFormIdToRaw: triggerOn !== 'one', refuseUnknownQuestions });
  return {
    triggerOn,
    ...chosenForms(read, triggerOn),
    outputOptions,
    downloads: outputOptions.downloadFiles ? parseDownloadSettings(read) : undefined,
    maxSubmissions: options.value(pollOptions.maxSubmissions, requireWholeNumber),
    /** The first publication also emits the submissions that were created at this time or later. Undefined: it starts with new ones. */
    startFrom: options.optional(pollOptions.startFrom, requireDate),
  };
}

/** The IDs of the chosen forms, each once, and the label of their field. With Whole Workspace, there are none. */
function chosenForms(read: FieldReader, triggerOn: keyof typeof FIELDS): { formIds: string[]; formsField: string } {
  const { displayName: formsField } = FIELDS[triggerOn];
  const toId = (value: unknown) => requireId(formsField, value, 'form');
  if (triggerOn === 'allActive') return { formIds: [], formsField };
  if (triggerOn === 'one')
    return { formIds: [read.value(watchedFormField, (_field, value) => toId(value))], formsField };
  // `splitTexts` splits at commas and line breaks. Blanks and semicolons also separate IDs.
  const chosen = read.value(watchedFormsField, splitTexts).flatMap((text) => text.split(/[\s;]+/));
  const ids = new Set(chosen.filter((id) => id !== '').map(toId));
  if (ids.size > 0) return { formIds: [...ids], formsField };
  throw invalidValue(`'${formsField}' is empty`, "Choose at least one form, or set 'Trigger On' to Whole Workspace.");
}
