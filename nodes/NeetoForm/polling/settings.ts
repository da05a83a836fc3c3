import type { IPollFunctions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';
import { parseDownloadSettings, type DownloadSettings } from '../downloads/settings';
import { FieldReader } from '../fields/reader';
import {
  isUuid,
  listOfTexts,
  optionalDate,
  parameterValue,
  requireId,
  requireOption,
  requireWholeNumber,
  validated,
} from '../parameters';
import { parseOutputOptions, type OutputOptions } from '../submissions/outputOptions';

const LOOKBACK_MS = 15 * 60_000;

/** The trigger's parameters. */
export interface TriggerSettings {
  /** Which forms the trigger waits for. */
  triggerOn: 'one' | 'several' | 'allActive';
  /** The chosen forms, each once; none when every active form is watched. */
  formIds: string[];
  outputOptions: OutputOptions;
  /** Undefined when files are not downloaded. */
  downloads?: DownloadSettings;
  /** Submissions that one poll emits at most. */
  maxSubmissions: number;
  /** ms that a submission may appear after its own creation time. */
  lookbackMs: number;
  /** ms: where to start in the past; undefined = with new submissions only. */
  startFrom?: number;
}

/** Reads the trigger's parameters. @throws NodeOperationError that names the parameter when a value makes no sense */
export function readSettings(context: IPollFunctions): TriggerSettings {
  const parameter = (path: string, fallback?: unknown) => parameterValue(context, path, fallback);
  return validated(context.getNode(), () => {
    const triggerOn = requireOption('Trigger On', parameter('triggerOn', 'one'), ['one', 'several', 'allActive']);
    const outputOptions = parseOutputOptions(new FieldReader(context), triggerOn !== 'one');
    return {
      triggerOn,
      formIds: chosenForms(context, triggerOn),
      outputOptions,
      downloads: outputOptions.downloadFiles ? parseDownloadSettings(parameter) : undefined,
      maxSubmissions: requireWholeNumber('Max Submissions per Poll', parameter('options.maxSubmissions', 1_000), {
        min: 1,
      }),
      lookbackMs: LOOKBACK_MS,
      startFrom: optionalDate('Start From', parameter('options.startFrom', ''), context.getTimezone()),
    };
  });
}

function chosenForms(context: IPollFunctions, triggerOn: TriggerSettings['triggerOn']): string[] {
  if (triggerOn === 'allActive') return [];
  if (triggerOn === 'one') {
    return [normalizeId(requireId('Form', context.getNodeParameter('formId', '', { extractValue: true }), 'form'))];
  }
  const label = 'Form Names or IDs';
  const chosen = listOfTexts(label, context.getNodeParameter('formIds', [])).flatMap((text) => text.split(/[\s;]+/));
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
