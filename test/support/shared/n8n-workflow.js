// All test files share one n8n-workflow: see environment.js.
module.exports = globalThis.requireShared('n8n-workflow');
