import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { CREDENTIAL } from './api/credential';
import { WORKSPACE_URL_EXPRESSION } from './api/workspaceUrl';
import { searchForms } from './listSearch/searchForms';
import { searchTeamMembers } from './listSearch/searchTeamMembers';
import { formDescription } from './resources/form';
import { submissionDescription } from './resources/submission';
import { teamMemberDescription } from './resources/teamMember';

export class NeetoForm implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'NeetoForm',
    name: 'neetoForm',
    icon: { light: 'file:../../icons/neetoForm.svg', dark: 'file:../../icons/neetoForm.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
    description: 'Read forms and submissions, and manage team members, in NeetoForm',
    defaults: { name: 'NeetoForm' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: CREDENTIAL, required: true }],
    requestDefaults: { baseURL: WORKSPACE_URL_EXPRESSION },
    properties: [
      {
        displayName: 'Resource',
        name: 'resource',
        type: 'options',
        noDataExpression: true,
        options: [
          { name: 'Form', value: 'form' },
          { name: 'Submission', value: 'submission' },
          { name: 'Team Member', value: 'teamMember' },
        ],
        default: 'submission',
        // Hands every request to the function that its operation names: see operations/operation.ts.
        routing: { send: { paginate: true } },
      },
      ...formDescription,
      ...submissionDescription,
      ...teamMemberDescription,
    ],
  };

  methods = { listSearch: { searchForms, searchTeamMembers } };
}
