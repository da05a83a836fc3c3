const e2e = require('../e2e/jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
  ...e2e,
  // The usual setup removes the variables that start with N8N_, to keep other tests away from the developer's n8n.
  globalSetup: undefined,
  globalTeardown: undefined,
  roots: ['<rootDir>/test/versions'],
  testMatch: ['**/instance.test.ts'],
};
