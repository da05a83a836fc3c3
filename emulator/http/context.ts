import type { Workspace } from '../store/workspace.ts';
import type { Quirks } from './quirks.ts';

/** What the routes work with. */
export interface Context {
  workspace: Workspace;
  quirks: Quirks;
  /** The address under which the emulator is reached, without a path. */
  origin(): string;
  /** The origin of the object store with the files; '' when it is the emulator itself. */
  objectStore(): string;
}
