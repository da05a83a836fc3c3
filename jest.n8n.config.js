const { projects, workerGracefulExitTimeout } = require('./jest.config.js');

/** A suite that runs n8n: `npm run test:n8n -- e2e`. */
const suite = (displayName) => ({
  ...projects[0],
  displayName,
  roots: [`<rootDir>/test/n8n/${displayName}`],
  testMatch: ['**/*.test.ts'],
  globalSetup: '<rootDir>/test/n8n/e2e/support/globalSetup.ts',
});

/** @type {import('jest').Config} */
module.exports = {
  // An n8n takes a core for itself while it starts.
  maxWorkers: 1,
  testTimeout: 400_000,
  workerGracefulExitTimeout,
  projects: ['e2e', 'ui', 'queue', 'endurance', 'published', 'versions'].map(suite),
};
