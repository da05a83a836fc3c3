import jestConfig from './jest.config.js';

// Without the test files that take longest, where others hold the same.
const ACTION = 'action/(?!download|deviations)';
const TRIGGER = 'trigger/(?!contradictions)';
const DESCRIPTIONS = 'repository/(whatUsersSee|fieldRules)';

/** Each folder, and the tests that hold it. */
const FOLDERS = {
  watching: 'pure|trigger',
  lists: 'pure|action/(?!download)|trigger/formList',
  polling: `pure|${TRIGGER}`,
  api: 'pure|repository/errorTexts|action/(?!download)|trigger/(pauses|deadlines|numbers)',
  execution: ACTION,
  parameters: `pure|${ACTION}|trigger/settings`,
  downloads: 'repository/errorTexts|pure|action/(?!deviations)|trigger/filesInPolls',
  submissions: `pure|${ACTION}|trigger/settings`,
  methods: `${DESCRIPTIONS}|${ACTION}`,
  fields: `${DESCRIPTIONS}|pure|${ACTION}`,
  resources: `${DESCRIPTIONS}|action/(?!download)`,
  NeetoForm: `${DESCRIPTIONS}|pure|${ACTION}`,
  credentials: `${DESCRIPTIONS}|pure|${ACTION}`,
};
const PATHS = { NeetoForm: 'nodes/NeetoForm/*.ts', credentials: 'credentials/*.ts' };

const folders = Object.keys(FOLDERS);
const today = Math.floor(Date.now() / 86_400_000);
const { FOLDER: folder = folders[today % folders.length] } = process.env;

/** Mutation testing of a folder: `FOLDER=watching npx stryker run`. Without a name, each day takes the next one. */
export default {
  mutate: [PATHS[folder] ?? `nodes/NeetoForm/${folder}/**/*.ts`],
  testRunner: 'jest',
  jest: {
    // The runner below knows which test files reach a mutant.
    enableFindRelatedTests: false,
    config: {
      ...jestConfig.projects[0],
      projects: [],
      testMatch: undefined,
      testRegex: [`/test/(${FOLDERS[folder]}).*\\.test\\.ts$`],
      // Their bounds are times, which instrumented code does not keep.
      testPathIgnorePatterns: ['/(linear|clock)\\.test\\.ts$'],
      testEnvironment: './test/support/mutation/environment.js',
      runner: '<rootDir>/test/support/mutation/runner.js',
    },
  },
  timeoutFactor: 3,
  // A survivor that runs while a module loads is tried again only with `--force`.
  incremental: true,
  incrementalFile: `reports/${folder}.json`,
  clearTextReporter: { reportTests: false },
  ignorePatterns: ['dist', 'reports', '.cache', '*/node_modules', 'docs', 'examples', 'benchmarks'],
  concurrency: 2,
  tempDirName: '.cache/stryker',
  thresholds: { high: 95, low: 90, break: 90 },
};
