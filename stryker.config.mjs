import jestConfig from './jest.config.js';

const pure = jestConfig.projects.find(({ displayName }) => displayName === 'pure');

/**
 * Mutation testing of the pure modules: those that test/pure checks without n8n's engine. Usage:
 * `npx stryker run --mutate nodes/NeetoForm/api/retry.ts`
 */
export default {
  mutate: [
    'credentials/*.ts',
    'nodes/NeetoForm/json.ts',
    'nodes/NeetoForm/api/{errors,failure,inOrder,messages,parse,list,slice,sliceReader,readList,requestLimiter,retry,workspaceUrl}.ts',
    'nodes/NeetoForm/downloads/{fileAddress,fileName,messages}.ts',
    'nodes/NeetoForm/parameters/{dates,ids,values}.ts',
    'nodes/NeetoForm/polling/cursor.ts',
    'nodes/NeetoForm/submissions/*.ts',
  ],
  // Most texts are messages and labels. A word that is logic stands in a condition, and conditions are changed too.
  mutator: { excludedMutations: ['StringLiteral'] },
  // A change of what runs while a module loads would need every test anew. Reported as ignored.
  ignoreStatic: true,
  testRunner: 'jest',
  // Stryker puts an environment of its own around Jest's.
  jest: {
    config: {
      ...pure,
      projects: [],
      testEnvironment: 'node',
      moduleNameMapper: {},
      // Its bounds are times, which code that can be changed at every place does not keep.
      testPathIgnorePatterns: ['/linear\\.test\\.ts$'],
    },
  },
  incremental: true,
  clearTextReporter: { reportTests: false },
  ignorePatterns: ['dist', 'reports', '.cache', '*/node_modules', 'docs', 'examples', 'benchmarks'],
  concurrency: 2,
  // A folder that lint and the tests ignore.
  tempDirName: '.cache/stryker',
};
