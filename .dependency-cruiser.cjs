const { join } = require('node:path');

const node = 'nodes/NeetoForm/';
const inNode = (name) => `${node}${name}`;

// Values and parameters, which every folder with logic may import.
const values = '(json|text)\\.ts$';
const parameters = 'parameters/';
// What an operation may use of api: the path, how the response is parsed, and what can be read. Requests are sent in execution/.
const operationApi = 'api/(endpoints|parse|clock|service)\\.ts$';
// What a description and the credential may use of api: the name of the credential and its URL.
const credentialApi = 'api/workspaceUrl\\.ts$';

const insideNode = {
  [values]: [],
  [parameters]: ['fields/', 'api/(nodeErrors|workspaceUrl)\\.ts$', values],
  'NeetoForm\\.node\\.ts$': ['resources/', 'fields/', 'methods/', 'execution/', credentialApi],
  'NeetoFormTrigger\\.node\\.ts$': ['fields/', 'methods/', 'polling/', 'api/', 'submissions/', parameters, values],
  'resources/': ['fields/', 'execution/', 'submissions/', 'downloads/', parameters, values, operationApi, 'lists/'],
  'fields/': [],
  'methods/': ['lists/', 'api/', 'submissions/questions\\.ts$', parameters, values],
  'execution/': ['lists/', 'api/', 'fields/', 'submissions/', 'downloads/', parameters, values],
  'polling/': ['watching/', 'lists/', 'api/', 'fields/', 'submissions/', 'downloads/', parameters, values],
  'downloads/': ['api/', 'submissions/', parameters, values],
  'submissions/': [parameters, values],
  'watching/': ['api/'],
  'lists/': ['api/', values],
  'api/': [values],
};

// What each folder may import of this repository. A folder may always import from itself.
const allowedImports = {
  ...Object.fromEntries(Object.entries(insideNode).map(([from, to]) => [inNode(from), to.map(inNode)])),
  'credentials/': [inNode(credentialApi)],
  // An emulator that shares code or types with the client shares its mistakes.
  'emulator/': [],
  'n8n-runner/': [],
  'verify/': ['n8n-runner/'],
  'demo/': ['emulator/', 'n8n-runner/'],
  // Benchmarks run the nodes in the tests' set-up of n8n's engine.
  'benchmarks/': ['emulator/', 'n8n-runner/', 'nodes/', 'test/support/engine', 'package\\.json$'],
  // Of the benchmarks, only the report can be tested.
  'test/': ['(?!demo/|benchmarks/(?!report\\.ts$))'],
};

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...Object.entries(allowedImports).map(([from, allowed]) => ({
      name: `from-${from.replace(/\W+/g, '-').toLowerCase()}`,
      comment: `${from} may import ${allowed.join(', ') || 'nothing else'}`,
      from: { path: `^${from}` },
      to: { dependencyTypes: ['local'], pathNot: [from, ...allowed].map((path) => `^${path}`) },
    })),
    {
      name: 'submissions-are-pure',
      comment: 'nodes/NeetoForm/submissions/ is pure: it imports types of n8n only',
      from: { path: `^${inNode('submissions/')}` },
      to: { pathNot: '^(nodes|credentials)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'shipped-code-needs-n8n-only',
      comment: 'The package has no runtime dependencies; n8n provides n8n-workflow',
      from: { path: '^(nodes|credentials)/' },
      to: { pathNot: ['^(nodes|credentials)/', '(^|/)node_modules/n8n-workflow/', '^(node:)?crypto$'] },
    },
    { name: 'no-cycles', from: {}, to: { circular: true } },
    {
      name: 'no-dead-files',
      comment: 'Every file of the package is imported by a node or the credential',
      from: { path: '^(nodes/.*\\.node|credentials/.*)\\.ts$' },
      to: { path: '^nodes/.*\\.ts$', pathNot: '\\.node\\.ts$', reachable: false },
    },
    {
      name: 'no-orphans',
      comment: 'A file that imports nothing and that nothing imports is dead code, unless a tool starts it',
      from: {
        orphan: true,
        pathNot: ['^[^/]+$', '\\.test\\.ts$', '^n8n-runner/.*\\.mjs$', '^test/support/shared/(?!environment).*\\.js$'],
      },
      to: {},
    },
    { name: 'no-unresolvable', from: {}, to: { couldNotResolve: true } },
  ].map((rule) => ({ ...rule, severity: 'error' })),
  options: {
    doNotFollow: { path: '(^|/)node_modules/' },
    exclude: { path: '^(dist|reports|\\.cache)/' },
    // Types count: an `import type` is an import too.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: join(__dirname, 'tsconfig.dev.json') },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
