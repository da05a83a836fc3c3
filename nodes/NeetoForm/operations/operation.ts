import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';
import type { ApiResponse } from '../api/request';
import type { DownloadRun } from '../downloads/download';
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

/** Sends a request that reads. @param retryLimitMs as in RequestPolicy */
export type Get = (path: string, query?: IDataObject, retryLimitMs?: number) => Promise<ApiResponse>;

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
  send: (values: ServiceRequest, signal?: AbortSignal) => Promise<ApiResponse>;
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
