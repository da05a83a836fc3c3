import { NodeOperationError } from 'n8n-workflow';
import { isRecord, textOf } from '../json';
import type { Call, Prepare } from './operation';

/** @param path of a text in the body, with dots: `form.title` */
export function textInBody(path: string, label: string): Prepare {
  return (call) => {
    if (textOf(valueInBody(call, path)).trim() !== '') return;
    throw new NodeOperationError(call.context.getNode(), `'${label}' is empty`, { description: 'Enter a text. Nothing was sent.' });
  };
}

/** An update without a field would change nothing, so it is not sent. */
export function somethingInBody(label: string): Prepare {
  return ({ body, context }) => {
    if (Object.values(body).some((value) => value !== undefined)) return;
    throw new NodeOperationError(context.getNode(), `'${label}' is empty`, { description: 'Add at least one field to change. Nothing was sent.' });
  };
}

/** What stands at a dotted path of the body; undefined when there is nothing. */
export function valueInBody({ body }: Call, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), body);
}
