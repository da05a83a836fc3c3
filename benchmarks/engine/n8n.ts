import { createRequire } from 'node:module';
import 'reflect-metadata';

import type * as Core from 'n8n-core';
import type * as N8nWorkflow from 'n8n-workflow';

// The ES modules of n8n-workflow leave out file extensions and load in bundlers only.
const load = createRequire(import.meta.url);

/** n8n's engine. */
export const core = load('n8n-core') as typeof Core;

/** What n8n's engine and its nodes share. */
export const workflow = load('n8n-workflow') as typeof N8nWorkflow;

/** Switches on the expression engine that a whole n8n uses unless it is told otherwise, with n8n's own settings. */
export async function startExpressionEngine(): Promise<void> {
  await workflow.Expression.initExpressionEngine({
    engine: 'vm',
    poolSize: 1,
    maxCodeCacheSize: 1024,
    bridgeTimeout: 5_000,
    bridgeMemoryLimit: 128,
  });
}
