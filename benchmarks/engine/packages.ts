import { createRequire } from 'node:module';

import type { ICredentialType, INodeType, IVersionedNodeType } from 'n8n-workflow';

import { nodeFiles } from './files.ts';

const load = createRequire(import.meta.url);

type Class<T> = new () => T;

/** This package's action node. */
export function neetoForm(): INodeType {
  return new (classIn<INodeType>(nodeFiles.neetoForm, 'NeetoForm'))();
}

/** This package's trigger. */
export function neetoFormTrigger(): INodeType {
  return new (classIn<INodeType>(nodeFiles.neetoFormTrigger, 'NeetoFormTrigger'))();
}

/** This package's credential. */
export function credentialType(): ICredentialType {
  return new (classIn<ICredentialType>(nodeFiles.credential, 'NeetoFormApi'))();
}

/** The newest version of n8n's HTTP Request node. */
export function httpRequest(): INodeType {
  return new (classIn<IVersionedNodeType>(nodeFiles.httpRequest, 'HttpRequest'))().getNodeType();
}

function classIn<T>(file: string, name: string): Class<T> {
  const exported: unknown = load(file);
  const found: unknown = typeof exported === 'object' && exported !== null ? Reflect.get(exported, name) : undefined;
  if (typeof found !== 'function') throw new Error(`There is no class ${name} in ${file}`);
  return found as Class<T>;
}
