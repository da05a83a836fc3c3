const base = require('../../jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/test/e2e'],
  testPathIgnorePatterns: ['/node_modules/'],
  // An n8n takes a core for itself while it starts.
  maxWorkers: 1,
  testTimeout: 120_000,
};
