import { createRequire } from 'node:module';

import { nodeFiles } from '../engine/files.ts';

// Prints how long both nodes take to load when n8n-workflow is there already, ms. No engine here: nothing of it may be warm.
const load = createRequire(nodeFiles.neetoForm);
load('n8n-workflow');
const started = performance.now();
load(nodeFiles.neetoForm);
load(nodeFiles.neetoFormTrigger);
console.log(performance.now() - started);
