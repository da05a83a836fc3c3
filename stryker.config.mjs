import jestConfig from './jest.config.js';

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: ['nodes/**/*.ts', 'credentials/**/*.ts'],
  testRunner: 'jest',
  plugins: ['@stryker-mutator/jest-runner'],
  coverageAnalysis: 'perTest',
  jest: {
    config: {
      ...jestConfig,
      roots: ['<rootDir>/test/unit', '<rootDir>/test/engine', '<rootDir>/test/trigger'],
      testPathIgnorePatterns: [
        ...jestConfig.testPathIgnorePatterns,
        // Its real retries run before all tests. What they cover would count as covered by every test.
        '/test/engine/retries\\.test\\.ts$',
        // Other processes do not run the mutants, and thousands of schedules take too long for each mutant.
        '/test/trigger/simulation',
      ],
    },
    // Jest finds only tests that import a file directly: other mutants would survive without a test.
    enableFindRelatedTests: false,
  },
  incremental: true,
  incrementalFile: 'reports/mutation/incremental.json',
  reporters: ['clear-text', 'html', 'json', 'progress'],
  htmlReporter: { fileName: 'reports/mutation/index.html' },
  jsonReporter: { fileName: 'reports/mutation/mutation.json' },
  ignorePatterns: ['dist', 'reports', '.cache', 'n8n-runner/node_modules', 'n8n-runner/versions', 'docs/images'],
  concurrency: 2,
  timeoutMS: 60_000,
  dryRunTimeoutMinutes: 20,
};
