/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: '<rootDir>/test/support/shared/environment.js',
  moduleNameMapper: {
    '^(n8n-core|n8n-workflow|openapi-backend)$': '<rootDir>/test/support/shared/$1.js',
  },
  maxWorkers: '100%',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/n8n/'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.cache/'],
  setupFiles: ['<rootDir>/test/support/seed.ts'],
  globalSetup: '<rootDir>/test/support/engine/instanceSetup.ts',
  transform: {
    '^.+\\.(ts|js|mjs)$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript', decorators: true }, target: 'es2022' } },
    ],
  },
  // These packages are published as ES modules only.
  transformIgnorePatterns: ['/node_modules/(?!(get-port|tinyexec)/)'],
};
