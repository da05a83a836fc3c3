const base = require('../../jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/test/endurance'],
  testPathIgnorePatterns: ['/node_modules/'],
  // Most of the time is spent waiting for the next poll: two n8n can wait side by side.
  maxWorkers: 2,
  testTimeout: 400_000,
};
