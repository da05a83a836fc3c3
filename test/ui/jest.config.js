const e2e = require('../e2e/jest.config.js');

/** @type {import('jest').Config} */
module.exports = { ...e2e, roots: ['<rootDir>/test/ui'], testTimeout: 240_000 };
