import { join } from 'node:path';

import { runnerFolder } from '../../n8n-runner/paths.ts';

const { N8N_USER_FOLDER: userFolder = '' } = process.env;

const packageFolder = join(userFolder, '.n8n', 'nodes', 'node_modules', 'n8n-nodes-neetoform');

/** Where a measured process finds this package, as it would be published. */
export const nodeFiles = {
  neetoForm: join(packageFolder, 'dist', 'nodes', 'NeetoForm', 'NeetoForm.node.js'),
  neetoFormTrigger: join(packageFolder, 'dist', 'nodes', 'NeetoForm', 'NeetoFormTrigger.node.js'),
  credential: join(packageFolder, 'dist', 'credentials', 'NeetoFormApi.credentials.js'),
  /** n8n's own, of the n8n that this project installs. */
  httpRequest: join(
    runnerFolder,
    'node_modules',
    'n8n-nodes-base',
    'dist',
    'nodes',
    'HttpRequest',
    'HttpRequest.node.js',
  ),
};
