const base = require('../../jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/test/ui'],
  testPathIgnorePatterns: ['/node_modules/'],
  // An n8n and a browser take all there is.
  maxWorkers: 1,
  testTimeout: 240_000,
};
