const e2e = require('../e2e/jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
  ...e2e,
  roots: ['<rootDir>/test/endurance'],
  globalSetup: '<rootDir>/test/endurance/setup.ts',
  // Most of the time is spent waiting for the next poll: two n8n can wait side by side.
  maxWorkers: 2,
  testTimeout: 400_000,
};
