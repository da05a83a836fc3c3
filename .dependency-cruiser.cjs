const { join } = require('node:path');

const node = '^nodes/NeetoForm/';
const inNode = (name) => `${node}${name}`;

// Values and parameters, which every folder with logic may import.
const values = '(json|dates)\\.ts$';

// What an operation may use of api: the path, and how the response is parsed. Requests are sent in operations/.
const operationApi = 'api/(endpoints|parse)\\.ts$';
const parameters = '(parameters|ids)\\.ts$';
// What a description may use of api: the name of the credential and its URL.
const credentialApi = 'api/workspaceUrl\\.ts$';

// What each folder of the shipped code may import. A folder may always import from itself.
const allowedImports = {
  [values]: [],
  [parameters]: [values],
  'NeetoForm\\.node\\.ts$': ['resources/', 'fields/', 'methods/', 'operations/', credentialApi],
  'NeetoFormTrigger\\.node\\.ts$': ['fields/', 'methods/', 'polling/', 'api/', 'submissions/', values],
  'resources/': ['fields/', 'operations/', parameters, values, operationApi],
  'fields/': ['api/errors\\.ts$', parameters, values],
  'methods/': ['api/', 'submissions/questions\\.ts$', parameters, values],
  'operations/': ['api/', 'fields/', 'submissions/', 'downloads/', parameters, values],
  'polling/': ['api/', 'fields/', 'submissions/', 'downloads/', parameters, values],
  'downloads/': ['api/', 'fields/', 'submissions/', parameters, values],
  'submissions/': ['fields/', parameters, values],
  'api/': [values],
};

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...Object.entries(allowedImports).map(([from, allowed]) => ({
      name: `from-${from.match(/\w+/)?.[0].toLowerCase()}${from.includes('node') ? '-node' : ''}`,
      comment: `nodes/NeetoForm/${from} may import ${allowed.join(', ') || 'nothing else'}`,
      severity: 'error',
      from: { path: inNode(from) },
      to: { path: '^(nodes|credentials)/', pathNot: [from, ...allowed].map(inNode) },
    })),
    {
      name: 'every-file-has-a-folder',
      comment: 'A file of the package is in one of the folders above',
      severity: 'error',
      from: { path: '^nodes/', pathNot: Object.keys(allowedImports).map(inNode) },
      to: {},
    },
    {
      name: 'from-credentials',
      comment: 'The credential imports n8n-workflow, and what a valid workspace URL is',
      severity: 'error',
      from: { path: '^credentials/' },
      to: { path: '^(nodes|credentials)/', pathNot: inNode('api/workspaceUrl\\.ts$') },
    },
    {
      name: 'submissions-are-pure',
      comment: 'nodes/NeetoForm/submissions/ is pure: it imports types of n8n only',
      severity: 'error',
      from: { path: inNode('submissions/') },
      to: { pathNot: '^(nodes|credentials)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'shipped-code-needs-n8n-only',
      comment: 'The package has no runtime dependencies; n8n provides n8n-workflow',
      severity: 'error',
      from: { path: '^(nodes|credentials)/' },
      to: { pathNot: ['^(nodes|credentials)/', '(^|/)node_modules/n8n-workflow/', '^(node:)?crypto$'] },
    },
    {
      name: 'emulator-stands-alone',
      comment: 'An emulator that shares code or types with the client shares its mistakes',
      severity: 'error',
      from: { path: '^emulator/' },
      to: { path: '^(nodes|credentials|n8n-runner)/' },
    },
    {
      name: 'runner-stands-alone',
      comment: 'Installing and running n8n does not depend on the package',
      severity: 'error',
      from: { path: '^n8n-runner/' },
      to: { path: '^(nodes|credentials|emulator)/' },
    },
    ...['test', 'demo', 'benchmarks'].map((folder) => ({
      name: `nobody-imports-${folder}`,
      comment: "Benchmarks run the nodes in the tests' set-up of n8n's engine",
      severity: 'error',
      from: { pathNot: `^${folder}/` },
      to: { path: `^${folder}/`, pathNot: '^test/support/engine' },
    })),
    {
      name: 'tests-and-benchmarks-share-the-engine',
      severity: 'error',
      from: { pathNot: '^(test|benchmarks)/' },
      to: { path: '^test/support/engine' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-dead-files',
      comment: 'Every file of the package is imported by a node or the credential',
      severity: 'error',
      from: { path: '^(nodes/.*\\.node|credentials/.*)\\.ts$' },
      to: { path: '^nodes/.*\\.ts$', pathNot: '\\.node\\.ts$', reachable: false },
    },
    {
      name: 'no-orphans',
      comment: 'A file that imports nothing and that nothing imports is dead code, unless a tool starts it',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: [
          '^[^/]+$',
          '\\.test\\.ts$',
          '^n8n-runner/.*\\.mjs$',
          '^test/support/engine/instanceSetup\\.ts$',
          '^test/support/shared/(?!environment).*\\.js$',
        ],
      },
      to: {},
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: '(^|/)node_modules/' },
    exclude: { path: '^(dist|coverage|reports|\\.stryker-tmp|\\.cache)/' },
    // Types count: an `import type` is an import too.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: join(__dirname, 'tsconfig.dev.json') },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
