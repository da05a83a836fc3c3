import type { IDataObject } from 'n8n-workflow';
import type { ApiResponse } from '../api/request';
import { defineOperation, type OperationRun, type PaginationHook } from './defineOperation';

interface SingleOperation {
  /** Completes the request with checked values; throws UserError on a bad one. */
  prepare?: (operation: OperationRun) => void;
  /** Reads the item from the response; throws UnexpectedResponse when it is not there. */
  toItem: (response: ApiResponse, operation: OperationRun) => IDataObject;
  /** Label of the field to check when the service does not find what it names. */
  parameter?: string;
}

/** An operation that sends one request and returns one item. */
export function single({ prepare, toItem, parameter }: SingleOperation): PaginationHook {
  return defineOperation(async (operation) => {
    prepare?.(operation);
    return [{ json: toItem(await operation.send(), operation) }];
  }, parameter);
}
