import { describeResource } from './describeResource';
import { createForm } from './form/create';
import { getForm } from './form/get';
import { getManyForms } from './form/getAll';
import { countFormSubmissions } from './submission/count';
import { getManySubmissions } from './submission/getAll';
import { addTeamMembers } from './teamMember/add';
import { getTeamMember } from './teamMember/get';
import { getManyTeamMembers } from './teamMember/getAll';
import { removeTeamMember } from './teamMember/remove';
import { removeTeamMembersByEmail } from './teamMember/removeByEmail';
import { updateTeamMember } from './teamMember/update';

/** The operations of each resource with their fields. */
export const resources = [
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
];
