const { join } = require('node:path');

const node = '^nodes/NeetoForm/';
const room = (name) => `${node}${name}`;

// What a JSON value and a date are: below every room that computes.
const ground = '(json|dates)\\.ts$';

// What an operation states of its request: the path, and how the answer is read. Sending is routing's.
const spoken = 'api/(endpoints|parse)\\.ts$';
const parameters = 'parameters\\.ts$';
// What a description states of the credential: its name and the address it stands for.
const address = 'api/(credential|workspaceUrl)\\.ts$';

// Who may import whom in the shipped code. A room may always import from itself.
const arrows = {
  [ground]: [],
  [parameters]: ['api/(errors|id)\\.ts$', ground],
  'NeetoForm\\.node\\.ts$': ['resources/', 'fields/', 'listSearch/', 'operations/', address],
  'NeetoFormTrigger\\.node\\.ts$': ['fields/', 'listSearch/', 'polling/', 'api/', 'submissions/', ground],
  'resources/': ['fields/', 'operations/', parameters, spoken],
  'fields/': ['api/endpoints\\.ts$'],
  'listSearch/': ['api/', parameters, ground],
  'operations/': ['api/', 'submissions/', 'downloads/', parameters, ground],
  'polling/': ['api/', 'submissions/', 'downloads/', parameters, ground],
  'downloads/': ['api/', 'submissions/', parameters, ground],
  'submissions/': [parameters, ground],
  'api/': [ground],
};

// Who may import the folders that nothing else imports: the comparison of polling rules uses the tests' simulation.
const importers = { test: ['test', 'benchmarks'], demo: ['demo'], benchmarks: ['benchmarks'] };

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...Object.entries(arrows).map(([from, allowed]) => ({
      name: `from-${from.replace(/\W.*/, '').toLowerCase()}${from.includes('node') ? '-node' : ''}`,
      comment: `nodes/NeetoForm/${from} may import ${allowed.join(', ') || 'nothing else of ours'}`,
      severity: 'error',
      from: { path: room(from) },
      to: { path: '^(nodes|credentials)/', pathNot: [from, ...allowed].map(room) },
    })),
    {
      name: 'every-file-has-a-room',
      comment: 'A file of the package lives in a room that the arrows above know',
      severity: 'error',
      from: { path: '^nodes/', pathNot: Object.keys(arrows).map(room) },
      to: {},
    },
    {
      name: 'from-credentials',
      comment: 'A credential knows n8n-workflow and what a valid workspace address is',
      severity: 'error',
      from: { path: '^credentials/' },
      to: { path: '^(nodes|credentials)/', pathNot: room('api/workspaceUrl\\.ts$') },
    },
    {
      name: 'submissions-are-pure',
      comment: 'nodes/NeetoForm/submissions/ takes values and returns values: of n8n it uses types only',
      severity: 'error',
      from: { path: room('submissions/') },
      to: { pathNot: '^(nodes|credentials)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'shipped-code-needs-n8n-only',
      comment: 'The package has no runtime dependencies: n8n-workflow is there anyway, node:crypto too',
      severity: 'error',
      from: { path: '^(nodes|credentials)/' },
      to: { pathNot: ['^(nodes|credentials)/', '(^|/)node_modules/n8n-workflow/', '^(node:)?crypto$'] },
    },
    {
      name: 'emulator-stands-alone',
      comment: "A stand-in that shares the client's code, or only its types, shares its mistakes",
      severity: 'error',
      from: { path: '^emulator/' },
      to: { path: '^(nodes|credentials|n8n-runner)/' },
    },
    {
      name: 'host-stands-alone',
      comment: 'Installing and running n8n knows nothing of forms',
      severity: 'error',
      from: { path: '^n8n-runner/' },
      to: { path: '^(nodes|credentials|emulator)/' },
    },
    ...Object.entries(importers).map(([folder, allowed]) => ({
      name: `nobody-imports-${folder}`,
      severity: 'error',
      from: { pathNot: `^(${allowed.join('|')})/` },
      to: { path: `^${folder}/` },
    })),
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-dead-files',
      comment: 'Every file of the package is reached from a node or the credential',
      severity: 'error',
      from: { path: '^(nodes/.*\\.node|credentials/.*)\\.ts$' },
      to: { path: '^nodes/.*\\.ts$', pathNot: '\\.node\\.ts$', reachable: false },
    },
    {
      name: 'no-orphans',
      comment: 'A file that imports nothing and that nothing imports is dead, unless a tool or a person starts it',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: [
          '^[^/]+$',
          '\\.test\\.ts$',
          '^n8n-runner/.*\\.mjs$',
          '^test/support/engine/instance(Setup|Teardown)\\.ts$',
        ],
      },
      to: {},
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: '(^|/)node_modules/' },
    exclude: { path: '^(dist|coverage)/|^(n8n-runner|verify)/.*node_modules/' },
    // Types count: an `import type` is an arrow too.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: join(__dirname, 'tsconfig.dev.json') },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
