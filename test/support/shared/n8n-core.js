// All test files share one n8n-core: see environment.js.
module.exports = globalThis.requireShared('n8n-core');
