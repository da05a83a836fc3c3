const e2e = require('../e2e/jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
  ...e2e,
  roots: ['<rootDir>/test/versions'],
  testMatch: ['**/versions.test.ts'],
  reporters: ['default', '<rootDir>/test/versions/compatibilityTable.ts'],
};
