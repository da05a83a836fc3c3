import jestConfig from './jest.config.js';

const pure = jestConfig.projects.find(({ displayName }) => displayName === 'pure');

/** Mutation testing of what test/pure checks: `npx stryker run --mutate nodes/NeetoForm/api/retry.ts` */
export default {
  mutate: [
    'credentials/*.ts',
    'nodes/NeetoForm/{json,text}.ts',
    'nodes/NeetoForm/api/{nodeErrors,failure,messages,parse,pause,retry,slots,workspaceUrl}.ts',
    'nodes/NeetoForm/lists/*.ts',
    'nodes/NeetoForm/downloads/{fileAddress,fileName,messages}.ts',
    'nodes/NeetoForm/parameters/{dates,ids,values}.ts',
    'nodes/NeetoForm/watching/*.ts',
    'nodes/NeetoForm/submissions/*.ts',
  ],
  // Most texts are messages and labels.
  mutator: { excludedMutations: ['StringLiteral'] },
  // A change of what runs while a module loads would need every test anew.
  ignoreStatic: true,
  testRunner: 'jest',
  // Stryker puts an environment of its own around Jest's.
  jest: {
    config: {
      ...pure,
      projects: [],
      testEnvironment: 'node',
      moduleNameMapper: {},
      // Its bounds are times, which instrumented code does not keep.
      testPathIgnorePatterns: ['/linear\\.test\\.ts$'],
    },
  },
  incremental: true,
  clearTextReporter: { reportTests: false },
  ignorePatterns: ['dist', 'reports', '.cache', '*/node_modules', 'docs', 'examples', 'benchmarks'],
  concurrency: 2,
  tempDirName: '.cache/stryker',
};
