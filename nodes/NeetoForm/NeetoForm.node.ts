import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { CREDENTIAL, WORKSPACE_URL_EXPRESSION } from './api/workspaceUrl';
import { searchForms } from './methods/forms';
import { getQuestions } from './methods/questions';
import { getRoles, getTimeZones, searchTeamMembers } from './methods/teamMembers';
import { describeResource } from './resources/describeResource';
import { createForm } from './resources/form/create';
import { getForm } from './resources/form/get';
import { getManyForms } from './resources/form/getAll';
import { countFormSubmissions } from './resources/submission/count';
import { getManySubmissions } from './resources/submission/getAll';
import { addTeamMembers } from './resources/teamMember/add';
import { getTeamMember } from './resources/teamMember/get';
import { getManyTeamMembers } from './resources/teamMember/getAll';
import { removeTeamMember } from './resources/teamMember/remove';
import { removeTeamMembersByEmail } from './resources/teamMember/removeByEmail';
import { updateTeamMember } from './resources/teamMember/update';

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
    hints: [
      {
        message: "Raw items contain the respondent's IP address, which is personal data.",
        type: 'warning',
        location: 'outputPane',
        displayCondition: '={{ $parameter["resource"] === "submission" && $parameter["output"] === "raw" }}',
      },
    ],
    builderHint: {
      searchHint:
        'Reads forms and submissions of a NeetoForm workspace, and manages its team members. To read answers, use resource submission, operation getAll; formId takes an ID or an exact title, and each item is a flat row with one column per question label. For structured answers, set output: simplified.',
      relatedNodes: [
        {
          nodeType: 'n8n-nodes-neetoform.neetoFormTrigger',
          relationHint: 'Starts a workflow on new submissions',
        },
        {
          nodeType: 'n8n-nodes-base.dataTable',
          relationHint: 'Stores submissions as rows; use answerNames: columnName',
        },
      ],
    },
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
        // Makes n8n call the hook `pagination` of each operation instead of sending requests itself: see execution/operation.ts.
        routing: { send: { paginate: true } },
      },
      ...describeResource('form', [createForm, getForm, getManyForms]),
      ...describeResource('submission', [countFormSubmissions, getManySubmissions]),
      ...describeResource('teamMember', [
        addTeamMembers,
        getTeamMember,
        getManyTeamMembers,
        removeTeamMember,
        removeTeamMembersByEmail,
        updateTeamMember,
      ]),
    ],
  };

  methods = {
    listSearch: { searchForms, searchTeamMembers },
    loadOptions: { getQuestions, getRoles, getTimeZones },
  };
}
