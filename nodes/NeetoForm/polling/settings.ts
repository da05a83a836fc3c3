import type { IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { DATE_HINT, parseDateParameter } from '../dates';
import { textOf, toText } from '../json';
import { presentationOf, type Presentation } from '../submissions/present';
import type { Limits } from './cursor';

const MINUTE = 60_000;

export interface Settings extends Limits {
  formId: string;
  presentation: Presentation;
  /** ms: where to begin in the past; undefined = with what comes from now on. */
  startFrom?: number;
}

/** Reads the trigger's parameters. Throws NodeOperationError when one makes no sense. */
export function settingsOf(context: IPollFunctions): Settings {
  const option = (name: string, fallback: number | string) => context.getNodeParameter(`options.${name}`, fallback);
  const formId = toText(context.getNodeParameter('formId', '', { extractValue: true })).trim();
  if (formId === '' || formId === '.' || formId === '..') {
    throw new NodeOperationError(context.getNode(), formId === '' ? "'Form' is empty" : "'Form' is not an ID", {
      description: 'Choose a form from the list, or enter its ID as the service shows it.',
    });
  }
  return {
    formId,
    presentation: presentationOf((path, fallback) => context.getNodeParameter(path, fallback)),
    maxSubmissions: atLeast(context, 'Max Submissions', Number(option('maxSubmissions', 1_000)), 1),
    lookbackMs: Math.round(atLeast(context, 'Look-Back', Number(option('lookback', 15)), 0) * MINUTE),
    startFrom: startFromOf(context, option('startFrom', '')),
  };
}

function atLeast(context: IPollFunctions, label: string, value: number, least: number): number {
  if (value >= least) return value;
  throw new NodeOperationError(context.getNode(), `'${label}' is less than ${least}`, { description: `Enter a number of at least ${least}.` });
}

function startFromOf(context: IPollFunctions, value: unknown): number | undefined {
  const start = parseDateParameter(value, context.getTimezone());
  if (start !== 'no date') return start;
  throw new NodeOperationError(context.getNode(), `'Start From' is not a date: ${textOf(value) || typeof value}`, { description: DATE_HINT });
}
