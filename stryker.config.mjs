import jestConfig from './jest.config.js';

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: ['nodes/**/*.ts', 'credentials/**/*.ts'],
  testRunner: 'jest',
  plugins: ['@stryker-mutator/jest-runner'],
  coverageAnalysis: 'perTest',
  jest: {
    config: { ...jestConfig, roots: ['<rootDir>/test/unit', '<rootDir>/test/engine', '<rootDir>/test/trigger'] },
    enableFindRelatedTests: false,
  },
  incremental: true,
  incrementalFile: 'reports/mutation/incremental.json',
  reporters: ['clear-text', 'html', 'progress'],
  htmlReporter: { fileName: 'reports/mutation/index.html' },
  ignorePatterns: ['dist', 'reports', '.cache', 'n8n-runner', 'verify', 'benchmarks', 'docs/images'],
  concurrency: 2,
  timeoutMS: 60_000,
};
