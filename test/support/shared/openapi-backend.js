// One for all test files: see environment.js.
module.exports = globalThis.requireShared('openapi-backend');
