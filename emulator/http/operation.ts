import type { Workspace } from '../store/workspace.ts';
import type { Quirks } from './quirks.ts';

/** What operations and pages work with. */
export interface Context {
  workspace: Workspace;
  quirks: Quirks;
  /** The address under which the emulator is reached, without a path. */
  origin(): string;
  /** The origin of the object store with the files; '' when it is the emulator itself. */
  objectStore(): string;
}

/** A request to an operation, valid by the document. Query parameters that are unknown or ignored (quirks) are left out. */
export interface OperationRequest {
  params: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
}

/** Returns the body of the response; its status is the one of success in the document. */
export type Operation = (request: OperationRequest, context: Context) => unknown;
