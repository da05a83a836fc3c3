import { createRequire } from 'node:module';

// Prints how long both nodes take to load when n8n-workflow is there already, ms. No engine here: nothing of it may be warm.
const load = createRequire(import.meta.url);
load('n8n-workflow');
const started = performance.now();
load('../../dist/nodes/NeetoForm/NeetoForm.node.js');
load('../../dist/nodes/NeetoForm/NeetoFormTrigger.node.js');
console.log(performance.now() - started);
