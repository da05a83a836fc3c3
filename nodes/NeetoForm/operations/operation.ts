import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';
import type { ApiResponse } from '../api/request';
import type { DownloadRun } from '../downloads/get';
import type { FieldReader } from '../parameters/reader';
import type { Execution } from './execution';

/** What an operation sends beside what its route says. */
export interface ServiceRequest {
  /** Another path than the route's. */
  path?: string;
  /** From the parameters, like the body. */
  query?: IDataObject;
  body?: IDataObject;
  /** What the node adds of itself. */
  added?: IDataObject;
}

/** Reads a response; throws UnexpectedResponse when it is not as documented. */
export type Parse<T> = (response: ApiResponse) => T;

/** Sends a request that reads. @param retryLimitMs as in RequestPolicy */
export type Get = <T>(path: string, query: IDataObject, parse: Parse<T>, retryLimitMs?: number) => Promise<T>;

/** An operation that runs for one input item. */
export interface Operation {
  context: IExecutePaginationFunctions;
  /** Reads the parameters of this input item. */
  read: FieldReader;
  execution: Execution;
  /** What the route's ID belongs to; its ID is '' when the route has none. */
  target: Target;
  /** Where the workspace is, and how the user wants n8n to connect. */
  connection: Pick<DownloadRun, 'workspace' | 'connection' | 'timeoutMs'>;
  /** Sends the route's request with these values. */
  send: <T>(values: ServiceRequest, parse: Parse<T>, signal?: AbortSignal) => Promise<T>;
  get: Get;
}

/** The form or team member that a route names: `/forms/{formId}`. */
export interface Target {
  id: string;
  /** The address by which a team member was given. */
  email?: string;
  /** What else to say when the service does not find it. */
  hint?: string;
}
