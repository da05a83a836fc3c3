import type { IPollFunctions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';
import { parseDownloadSettings, type DownloadSettings } from '../downloads/settings';
import { FieldReader } from '../parameters/reader';
import {
  maxSubmissionsOption,
  startFromOption,
  triggerOnField,
  watchedFormField,
  watchedFormsField,
} from '../fields/trigger';
import { isUuid, requireId } from '../parameters/ids';
import { validated } from '../parameters/values';
import { parseOutputOptions, type OutputOptions } from '../submissions/outputOptions';

/** The trigger's parameters. */
export interface TriggerSettings {
  /** Which forms the trigger waits for. */
  triggerOn: 'one' | 'several' | 'allActive';
  /** The field in which the forms are chosen. */
  formsField: string;
  /** The chosen forms, each once; none when all active forms are watched. */
  formIds: string[];
  outputOptions: OutputOptions;
  /** Undefined when files are not downloaded. */
  downloads?: DownloadSettings;
  /** Submissions that one poll emits at most. */
  maxSubmissions: number;
  /** ms: where the first publication starts in the past; undefined = with new submissions only. */
  startFrom?: number;
}

const FORMS_FIELDS = {
  one: watchedFormField.displayName,
  several: watchedFormsField.displayName,
  allActive: triggerOnField.displayName,
};

/** Reads the trigger's parameters. @throws NodeOperationError that names the parameter when a value makes no sense */
export function readSettings(context: IPollFunctions): TriggerSettings {
  const read = new FieldReader(context);
  return validated(context.getNode(), () => {
    const triggerOn = read.option(triggerOnField);
    const outputOptions = parseOutputOptions(read, triggerOn !== 'one');
    return {
      triggerOn,
      formsField: FORMS_FIELDS[triggerOn],
      formIds: chosenForms(read, triggerOn),
      outputOptions,
      downloads: outputOptions.downloadFiles ? parseDownloadSettings(read) : undefined,
      maxSubmissions: read.within('options').wholeNumber(maxSubmissionsOption),
      startFrom: read.optional('options', 'refuse expressions').date(startFromOption),
    };
  });
}

function chosenForms(read: FieldReader, triggerOn: TriggerSettings['triggerOn']): string[] {
  if (triggerOn === 'allActive') return [];
  if (triggerOn === 'one') {
    return [normalizeId(requireId(watchedFormField.displayName, read.value(watchedFormField), 'form'))];
  }
  const label = watchedFormsField.displayName;
  const chosen = read.texts(watchedFormsField).flatMap((text) => text.split(/[\s;]+/));
  const ids = new Set(chosen.filter((id) => id !== '').map((id) => normalizeId(requireId(label, id, 'form'))));
  if (ids.size > 0) return [...ids];
  throw new UserError(`'${label}' is empty`, {
    description: "Choose at least one form, or set 'Trigger On' to All Active Forms.",
  });
}

/** Two spellings of one ID are one form. */
export function normalizeId(id: string): string {
  return isUuid(id) ? id.toLowerCase() : id;
}
