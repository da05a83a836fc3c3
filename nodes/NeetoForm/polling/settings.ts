import type { IPollFunctions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';
import { parseDownloadSettings } from '../downloads/settings';
import { FieldReader } from '../parameters/reader';
import {
  maxSubmissionsOption,
  startFromOption,
  triggerOnField,
  watchedFormField,
  watchedFormsField,
} from '../fields/trigger';
import { requireId } from '../parameters/ids';
import { requireDate, requireOption, splitTexts, requireWholeNumber, withNodeErrors } from '../parameters/values';
import { parseOutputOptions } from '../submissions/outputOptions';

export type TriggerSettings = ReturnType<typeof readSettings>;

/** Reads the trigger's parameters. @throws NodeOperationError that names the parameter when a value makes no sense */
export function readSettings(context: IPollFunctions) {
  const read = new FieldReader(context);
  return withNodeErrors(context.getNode(), () => {
    const options = read.within('options');
    const triggerOn = read.value(triggerOnField, requireOption);
    const outputOptions = parseOutputOptions(read, { addFormIdToRaw: triggerOn !== 'one' });
    return {
      triggerOn,
      ...chosenForms(read, triggerOn),
      outputOptions,
      downloads: outputOptions.downloadFiles ? parseDownloadSettings(read) : undefined,
      maxSubmissions: options.value(maxSubmissionsOption, requireWholeNumber),
      /** ms: the first publication emits the submissions that were created then or later. Undefined: it starts with new ones. */
      startFrom: options.optional(startFromOption, requireDate),
    };
  });
}

/** The IDs of the chosen forms, each once, and the label of their field. With Whole Workspace, there are none. */
function chosenForms(read: FieldReader, triggerOn: string): { formIds: string[]; formsField: string } {
  if (triggerOn === 'allActive') return { formIds: [], formsField: triggerOnField.displayName };
  if (triggerOn === 'one') {
    const { displayName: formsField } = watchedFormField;
    const formId = read.value(watchedFormField, (_field, value) => requireId(formsField, value, 'form'));
    return { formIds: [formId], formsField };
  }
  const { displayName: formsField } = watchedFormsField;
  // `splitTexts` splits at commas and line breaks. Blanks and semicolons also separate IDs.
  const chosen = read.value(watchedFormsField, splitTexts).flatMap((text) => text.split(/[\s;]+/));
  const ids = new Set(chosen.filter((id) => id !== '').map((id) => requireId(formsField, id, 'form')));
  if (ids.size > 0) return { formIds: [...ids], formsField };
  throw new UserError(`'${formsField}' is empty`, {
    description: "Choose at least one form, or set 'Trigger On' to Whole Workspace.",
  });
}
