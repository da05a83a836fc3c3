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
import { isUuid, requireId } from '../parameters/ids';
import { requireDate, requireOption, requireTexts, requireWholeNumber, validated } from '../parameters/values';
import { parseOutputOptions } from '../submissions/outputOptions';

/** The trigger's parameters. */
export type TriggerSettings = ReturnType<typeof readSettings>;

/** Where the user chooses the forms. */
const FORMS_FIELDS = {
  one: watchedFormField.displayName,
  several: watchedFormsField.displayName,
  allActive: triggerOnField.displayName,
};

/** Reads the trigger's parameters. @throws NodeOperationError that names the parameter when a value makes no sense */
export function readSettings(context: IPollFunctions) {
  const read = new FieldReader(context);
  return validated(context.getNode(), () => {
    const options = read.within('options');
    const triggerOn = read.required(triggerOnField, requireOption);
    const outputOptions = parseOutputOptions(read, triggerOn !== 'one');
    return {
      triggerOn,
      formsField: FORMS_FIELDS[triggerOn],
      /** Each once; none when the whole workspace is watched. */
      formIds: chosenForms(read, triggerOn),
      outputOptions,
      /** Undefined when files are not downloaded. */
      downloads: outputOptions.downloadFiles ? parseDownloadSettings(read) : undefined,
      /** Submissions that one poll emits at most. */
      maxSubmissions: options.required(maxSubmissionsOption, requireWholeNumber),
      /** ms: where the first publication starts in the past; undefined = with new submissions only. */
      startFrom: options.optional(startFromOption, requireDate),
    };
  });
}

function chosenForms(read: FieldReader, triggerOn: keyof typeof FORMS_FIELDS): string[] {
  if (triggerOn === 'allActive') return [];
  if (triggerOn === 'one') {
    const label = watchedFormField.displayName;
    return [normalizeId(read.required(watchedFormField, (_field, value) => requireId(label, value, 'form')))];
  }
  const label = watchedFormsField.displayName;
  const chosen = read.required(watchedFormsField, requireTexts).flatMap((text) => text.split(/[\s;]+/));
  const ids = new Set(chosen.filter((id) => id !== '').map((id) => normalizeId(requireId(label, id, 'form'))));
  if (ids.size > 0) return [...ids];
  throw new UserError(`'${label}' is empty`, {
    description: "Choose at least one form, or set 'Trigger On' to Whole Workspace.",
  });
}

/** Two spellings of one ID are one form. */
export function normalizeId(id: string): string {
  return isUuid(id) ? id.toLowerCase() : id;
}
