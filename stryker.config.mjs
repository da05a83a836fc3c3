// A few schedules of the simulation take as long as other tests, and notice more.
Object.assign(process.env, { SIMULATION_RUNS: '25', SIMULATION_SHRINKS: 'false' });

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: [
    'nodes/**/*.ts',
    'credentials/**/*.ts',
    // What the editor shows: labels, hints, and the parameters in their order. Data, which test/structure and test/engine check.
    '!nodes/**/*.node.ts',
    '!nodes/NeetoForm/fields/**',
    '!nodes/NeetoForm/resources/**',
  ],
  // Most texts are messages and labels. A word that is logic stands in a condition, and conditions are changed too.
  mutator: { excludedMutations: ['StringLiteral'] },
  // What runs while a module loads would need every test anew for each change. Reported as ignored.
  ignoreStatic: true,
  testRunner: 'resident',
  resident: {
    tests: ['test/unit/**/*.test.ts', 'test/engine/**/*.test.ts', 'test/trigger/**/*.test.ts'],
    exclude: [
      // Real waits, for what other tests check too.
      'test/engine/concurrency.test.ts',
    ],
  },
  warnings: { unknownOptions: false },
  plugins: ['./test/mutation/runner.mjs'],
  coverageAnalysis: 'perTest',
  incremental: true,
  incrementalFile: 'reports/mutation/incremental.json',
  reporters: ['clear-text', 'html', 'json', 'progress'],
  clearTextReporter: { reportTests: false },
  htmlReporter: { fileName: 'reports/mutation/index.html' },
  jsonReporter: { fileName: 'reports/mutation/mutation.json' },
  ignorePatterns: [
    '.stryker-tmp',
    'dist',
    'reports',
    '.cache',
    'n8n-runner/node_modules',
    'n8n-runner/versions',
    'docs/images',
  ],
  concurrency: 2,
  // The runner limits each test itself; this is for code that never lets go of the process.
  timeoutMS: 60_000,
  timeoutFactor: 0,
  dryRunTimeoutMinutes: 20,
};
