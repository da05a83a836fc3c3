import type { IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { validateId } from '../api/id';
import { parseDownloadSettings, type DownloadSettings } from '../downloads/settings';
import { toText } from '../json';
import { optionalDate, validated } from '../parameters';
import { parseOutputOptions, type OutputOptions } from '../submissions/outputOptions';

const MINUTE = 60_000;

/** Which forms a trigger waits for. */
export type Watch = 'one' | 'several' | 'active';

export interface Settings {
  watch: Watch;
  /** The forms that were chosen; none when every active one is watched. */
  formIds: string[];
  outputOptions: OutputOptions;
  /** Undefined when files are not downloaded. */
  downloads?: DownloadSettings;
  /** Submissions one poll hands out at most. */
  maxSubmissions: number;
  /** ms that a submission may become visible after its own creation time. */
  lookbackMs: number;
  /** ms: where to begin in the past; undefined = with what comes from now on. */
  startFrom?: number;
}

/** Reads the trigger's parameters. Throws NodeOperationError when one makes no sense. */
export function settingsOf(context: IPollFunctions): Settings {
  const option = (name: string, fallback: number | string) => context.getNodeParameter(`options.${name}`, fallback);
  const parameter = (path: string, fallback: unknown) => context.getNodeParameter(path, fallback);
  const watch = watchOf(context);
  const outputOptions = validated(context.getNode(), () => parseOutputOptions(parameter, watch !== 'one'));
  return {
    watch,
    formIds: formIdsOf(context, watch),
    outputOptions,
    downloads: outputOptions.downloadFiles
      ? validated(context.getNode(), () => parseDownloadSettings(parameter))
      : undefined,
    maxSubmissions: atLeast(context, 'Max Submissions', Number(option('maxSubmissions', 1_000)), 1),
    lookbackMs: Math.round(atLeast(context, 'Look-Back', Number(option('lookback', 15)), 0) * MINUTE),
    startFrom: startFromOf(context, option('startFrom', '')),
  };
}

function watchOf(context: IPollFunctions): Watch {
  const watch = context.getNodeParameter('watch', 'one');
  return watch === 'several' || watch === 'active' ? watch : 'one';
}

function formIdsOf(context: IPollFunctions, watch: Watch): string[] {
  switch (watch) {
    case 'active':
      return [];
    case 'one':
      return [idIn(context, 'Form', context.getNodeParameter('formId', '', { extractValue: true }))];
    case 'several': {
      const chosen: unknown = context.getNodeParameter('formIds', []);
      // The list gives a list; an expression may give text.
      const list: unknown[] = Array.isArray(chosen) ? chosen : toText(chosen).split(/[\s,;]+/);
      const ids = new Set(list.filter((id) => id !== '').map((id) => idIn(context, 'Form Names or IDs', id)));
      if (ids.size > 0) return [...ids];
      throw new NodeOperationError(context.getNode(), "'Form Names or IDs' is empty", {
        description: "Choose at least one form, or set 'Trigger On' to 'Every Active Form'.",
      });
    }
  }
}

function idIn(context: IPollFunctions, label: string, value: unknown): string {
  const fault = validateId(value);
  if (fault === undefined) return toText(value).trim();
  throw new NodeOperationError(context.getNode(), `'${label}' ${fault}`, {
    description: 'Choose a form from the list, or enter its ID as the service shows it.',
  });
}

function atLeast(context: IPollFunctions, label: string, value: number, least: number): number {
  if (value >= least) return value;
  throw new NodeOperationError(context.getNode(), `'${label}' is less than ${least}`, {
    description: `Enter a number of at least ${least}.`,
  });
}

function startFromOf(context: IPollFunctions, value: unknown): number | undefined {
  return validated(context.getNode(), () => optionalDate('Start From', value, context.getTimezone()));
}
