const { projects, workerGracefulExitTimeout } = require('./jest.config.js');

/** A suite that runs n8n: `npm run test:n8n -- e2e`. */
const suite = (displayName, changes = {}) => ({
  ...projects[0],
  displayName,
  roots: [`<rootDir>/test/n8n/${displayName}`],
  testMatch: ['**/*.test.ts'],
  globalSetup: '<rootDir>/test/n8n/e2e/support/globalSetup.ts',
  ...changes,
});

/** @type {import('jest').Config} */
module.exports = {
  // An n8n takes a core for itself while it starts.
  maxWorkers: 1,
  testTimeout: 400_000,
  workerGracefulExitTimeout,
  projects: [
    suite('e2e'),
    suite('ui'),
    suite('queue'),
    suite('endurance'),
    suite('published'),
    suite('versions', { testMatch: ['**/versions.test.ts'] }),
    // An n8n that is running. The usual setup removes the variables that start with N8N_.
    suite('instance', {
      roots: ['<rootDir>/test/n8n/versions'],
      testMatch: ['**/instance.test.ts'],
      globalSetup: undefined,
    }),
  ],
};
