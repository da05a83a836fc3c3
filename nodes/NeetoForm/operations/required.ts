import { NodeOperationError } from 'n8n-workflow';
import { isRecord, textOf } from '../json';
import type { Call, Prepare } from './operation';

/** @param path of a text in the body, with dots: `form.title` */
export function textInBody(path: string, label: string): Prepare {
  return (call) => {
    if (textOf(valueInBody(call, path)).trim() !== '') return;
    throw new NodeOperationError(call.context.getNode(), `'${label}' is empty`, {
      description: 'Enter a text. Nothing was sent.',
    });
  };
}

/** The fields to change, as texts; one without a value is left out. An update without a field would change nothing, so it is not sent. */
export function changesInBody(label: string): Prepare {
  return (call) => {
    const changes = Object.entries(call.body).filter(([, value]) => value !== undefined && value !== null);
    if (changes.length === 0) {
      throw new NodeOperationError(call.context.getNode(), `'${label}' is empty`, {
        description: 'Add at least one field to change. Nothing was sent.',
      });
    }
    call.body = Object.fromEntries(
      changes.map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]),
    );
  };
}

/** What stands at a dotted path of the body; undefined when there is nothing. */
export function valueInBody({ body }: Call, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), body);
}
