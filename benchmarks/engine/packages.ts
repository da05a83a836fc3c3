import { createRequire } from 'node:module';
import { join } from 'node:path';

import type { ICredentialType, INodeType, IVersionedNodeType } from 'n8n-workflow';

import { n8nHostFolder, repositoryFolder } from '../../n8n-host/paths.ts';

const load = createRequire(import.meta.url);

type Class<T> = new () => T;

/** This package's action node, as it is published. */
export function neetoForm(): INodeType {
  return new (classIn<INodeType>(builtFile('nodes/NeetoForm/NeetoForm.node.js'), 'NeetoForm'))();
}

/** This package's trigger, as it is published. */
export function neetoFormTrigger(): INodeType {
  return new (classIn<INodeType>(builtFile('nodes/NeetoForm/NeetoFormTrigger.node.js'), 'NeetoFormTrigger'))();
}

/** This package's credential, as it is published. */
export function credentialType(): ICredentialType {
  return new (classIn<ICredentialType>(builtFile('credentials/NeetoFormApi.credentials.js'), 'NeetoFormApi'))();
}

/** The newest version of the HTTP Request node of the n8n that this project installs. */
export function httpRequest(): INodeType {
  const file = join(n8nHostFolder, 'node_modules', 'n8n-nodes-base', 'dist', 'nodes', 'HttpRequest', 'HttpRequest.node.js');
  return new (classIn<IVersionedNodeType>(file, 'HttpRequest'))().getNodeType();
}

/** A file of the package as `npm run build` makes it. */
export function builtFile(path: string): string {
  return join(repositoryFolder, 'dist', ...path.split('/'));
}

function classIn<T>(file: string, name: string): Class<T> {
  const exported: unknown = load(file);
  const found: unknown = typeof exported === 'object' && exported !== null ? Reflect.get(exported, name) : undefined;
  if (typeof found !== 'function') throw new Error(`There is no class ${name} in ${file}`);
  return found as Class<T>;
}
