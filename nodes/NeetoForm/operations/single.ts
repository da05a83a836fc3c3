import type { IDataObject } from 'n8n-workflow';
import type { ApiResponse } from '../api/request';
import type { FieldReader } from '../parameters/reader';
import { defineOperation, type PaginationHook } from './defineOperation';
import type { ServiceRequest, Target } from './operation';

interface SingleOperation {
  /** The values to send, from the parameters; throws UserError on a bad one. Default: none. */
  request?: (read: FieldReader) => Pick<ServiceRequest, 'query' | 'body'>;
  /** Reads the item from the response; throws UnexpectedResponse when it is not there. */
  item: (response: ApiResponse, sent: Target & { body: IDataObject }) => IDataObject;
  /** Label of the field to check when the service does not find what it names. */
  field?: string;
}

/** An operation that sends one request and returns one item. */
export function single({ request, item, field }: SingleOperation): PaginationHook {
  return defineOperation(async (operation) => {
    const values = request?.(operation.read) ?? {};
    const sent = { ...operation.target, body: values.body ?? {} };
    return [{ json: await operation.send(values, (response) => item(response, sent)) }];
  }, field);
}
