import jestConfig from './jest.config.js';

const DESCRIPTIONS = 'repository/(whatUsersSee|fieldRules)|action/(?!download)';

/** Each folder, and the tests that hold it. */
const FOLDERS = {
  watching: 'pure|trigger',
  lists: 'pure|action/(?!download)|trigger/formList',
  polling: 'pure|trigger',
  api: 'pure|action/(?!download)|trigger/(pauses|deadlines|numbers)',
  execution: 'action/(?!download)',
  parameters: 'pure|action/(?!download)|trigger/settings',
  downloads: 'pure|action|trigger/filesInPolls',
  submissions: 'pure|action/(?!download)|trigger/settings',
  methods: 'repository/fieldRules|action/(?!download)',
  fields: `pure|${DESCRIPTIONS}`,
  resources: DESCRIPTIONS,
  NeetoForm: `pure|${DESCRIPTIONS}`,
  credentials: `pure|${DESCRIPTIONS}`,
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
      // They take long, or their bounds are times, which instrumented code does not keep.
      testPathIgnorePatterns: ['/(linear|clock|contradictions|deviations)\\.test\\.ts$'],
      testEnvironment: './test/support/mutation/environment.js',
      runner: '<rootDir>/test/support/mutation/runner.js',
    },
  },
  timeoutFactor: 3,
  incremental: true,
  incrementalFile: `reports/${folder}.json`,
  clearTextReporter: { reportTests: false },
  ignorePatterns: ['dist', 'reports', '.cache', '*/node_modules', 'docs', 'examples', 'benchmarks'],
  concurrency: 2,
  tempDirName: '.cache/stryker',
  thresholds: { high: 95, low: 90, break: 90 },
};
