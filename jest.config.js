const settings = {
  testEnvironment: '<rootDir>/test/support/shared/environment.js',
  moduleNameMapper: {
    '^(n8n-core|n8n-workflow)$': '<rootDir>/test/support/shared/$1.js',
    '/emulator/(index|http/document)\\.ts$': '<rootDir>/test/support/shared/emulator.js',
  },
  roots: ['<rootDir>/test'],
  setupFiles: ['<rootDir>/test/support/seed.ts'],
  globalSetup: '<rootDir>/test/support/engine/instanceSetup.ts',
  transform: {
    '^.+\\.(ts|js|mjs)$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }],
  },
  // These packages are published as ES modules only.
  transformIgnorePatterns: ['/node_modules/(?!(get-port|tinyexec)/)'],
};

/** A folder of tests: `npx jest --selectProjects pure`, or `npx jest test/pure`. */
const project = (displayName) => ({
  ...settings,
  displayName,
  testMatch: [`<rootDir>/test/${displayName}/**/*.test.ts`],
});

/** @type {import('jest').Config} */
module.exports = {
  maxWorkers: '100%',
  testTimeout: 30_000,
  // A worker needs more than half a second to free the memory of n8n's engine.
  workerGracefulExitTimeout: 10_000,
  projects: ['pure', 'action', 'trigger', 'simulation', 'repository'].map(project),
};
