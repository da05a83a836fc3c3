import type { Workspace } from '../store/workspace.ts';
import type { Quirks } from './quirks.ts';

/** What operations and pages work with. */
export interface Context {
  readonly workspace: Workspace;
  readonly quirks: Quirks;
  /** The address under which the emulator is reached, without a path. */
  readonly url: string;
  /** The origin of the object store with the files; '' when it is the emulator itself. */
  readonly objectStoreUrl: string;
}

/** A request to an operation, valid by the document. Query parameters that are unknown or ignored (quirks) are left out. */
export interface OperationRequest {
  params: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
}

/** Returns the body of the response; its status is the one of success in the document. */
export type Operation = (request: OperationRequest, context: Context) => unknown;

/** A refusal, with the status and the message of the response. */
export class ServiceError extends Error {
  readonly statusCode: number;

  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}
