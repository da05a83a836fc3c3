import { useHarness, type Parameters } from '../support/harness';
import { ID } from '../support/operations';

const harness = useHarness();

const list = (filters: Parameters, more: Parameters = {}) => ({ filters, ...more });
const submissions = (more: Parameters) => ({ formId: ID, ...more });
const downloads = (options: Parameters) => submissions({ options: { downloadFiles: true, ...options } });
const add = (additionalFields: Parameters) => ({ emails: 'jane@example.com', additionalFields });
const byEmail = (value: string) => ({ teamMemberId: { __rl: true, mode: 'email', value } });
const update = (updateFields: Parameters) => ({ teamMemberId: ID, updateFields });

const REFUSED: Record<string, Array<[parameters: Parameters, message: string]>> = {
  'form/create': [
    [{ title: ' ' }, "'Title' is empty"],
    [
      { title: 'x', additionalFields: { createdByEmail: '={{ $json.missing }}' } },
      "'Created By Email' is empty: its expression gives no value",
    ],
    [{ title: 'x', additionalFields: { createdByEmail: 'a@b' } }, "'Created By Email' is not an email address: a@b"],
  ],
  'form/getAll': [
    [{ returnAll: '={{ "all" }}' }, "'Return All' is neither true nor false: all"],
    [{ limit: 0 }, "'Limit' is less than 1"],
    [{ limit: 130_000 }, "'Limit' is more than 120000"],
    [list({ status: '={{ 1 }}' }), "'Status' is not one of its options: 1"],
    [list({ title: '={{ $json.missing }}' }), "'Title' is empty: its expression gives no value"],
    [list({ title: '={{ " " }}' }), "'Title' is empty: its expression gives no value"],
    [list({ status: '={{ [] }}' }), "'Status' is empty: its expression gives no value"],
  ],
  'submission/getAll': [
    [
      { formId: { __rl: true, mode: 'id', value: '={{ $json.missing }}' } },
      "'Form' is empty: its expression gives no value",
    ],
    // A title and an address are looked up only when all parameters are right.
    [
      { formId: 'Survey', ...list({ submittedAfter: '2026-02-10', submittedBefore: '2026-02-09' }) },
      "'Submitted After' is not before 'Submitted Before': 2026-02-10T00:00:00.000Z and 2026-02-09T00:00:00.000Z",
    ],
    [submissions({ sort: { order: '={{ "sideways" }}' } }), "'Order' is not one of its options: sideways"],
    [submissions(list({ submittedAfter: '={{ null }}' })), "'Submitted After' is empty: its expression gives no value"],
    [
      submissions(list({ submittedBefore: '={{ $json.missing }}' })),
      "'Submitted Before' is empty: its expression gives no value",
    ],
    [submissions(list({ submittedAfter: '={{ "" }}' })), "'Submitted After' is empty: its expression gives no value"],
    [submissions(list({ search: '={{ " " }}' })), "'Search' is empty: its expression gives no value"],
    [
      submissions(list({ submittedAfter: '2026-02-09', submittedBefore: '2026-02-09T00:00:00Z' })),
      "'Submitted After' is not before 'Submitted Before': 2026-02-09T00:00:00.000Z and 2026-02-09T00:00:00.000Z",
    ],
    ...['$json.missing', '[]', '["", null]'].map((expression): [Parameters, string] => [
      submissions({ options: { questionsToInclude: `={{ ${expression} }}` } }),
      "'Questions to Include' is empty: its expression gives no value",
    ]),
    [submissions(list({ submittedAfter: 'yesterday' })), "'Submitted After' is not a date: yesterday"],
    [submissions(list({ submittedBefore: '={{ NaN }}' })), "'Submitted Before' is not a date: null"],
    [downloads({ maxFileSizeMb: 0 }), "'Max File Size (MB)' is not more than 0"],
    [downloads({ allowedFileHosts: 'a.com, b/c' }), "'Allowed File Hosts' has an entry that is not a host name: b/c"],
  ],
  'submission/count': [
    [submissions(list({ submittedBefore: '={{ "" }}' })), "'Submitted Before' is empty: its expression gives no value"],
    [
      submissions(list({ submittedAfter: '2026-02-10', submittedBefore: '2026-02-09' })),
      "'Submitted After' is not before 'Submitted Before': 2026-02-10T00:00:00.000Z and 2026-02-09T00:00:00.000Z",
    ],
  ],
  'teamMember/add': [
    [{ emails: 'good@example.com, jane@' }, "'Emails' has an entry that is not an email address: jane@"],
    [add({ sendInvitationEmail: '={{ "maybe" }}' }), "'Send Invitation Email' is neither true nor false: maybe"],
    ...['$json.missing', 'null', '""'].map((expression): [Parameters, string] => [
      add({ sendInvitationEmail: `={{ ${expression} }}` }),
      "'Send Invitation Email' is empty: its expression gives no value",
    ]),
    [add({ organizationRole: '={{ "" }}' }), "'Organization Role' is empty: its expression gives no value"],
    [add({ invitedBy: '={{ $json.missing }}' }), "'Invited By' is empty: its expression gives no value"],
    [add({ invitedBy: 'the boss' }), "'Invited By' is not an email address: the boss"],
  ],
  'teamMember/get': [[byEmail('nobody'), "'Team Member' is not an email address: nobody"]],
  'teamMember/getAll': [
    [{ options: { apiVersion: '={{ "v3" }}' } }, "'API Version' is not one of its options: v3"],
    [list({ email: '={{ $json.missing }}' }), "'Email' is empty: its expression gives no value"],
    [list({ email: '={{ "" }}' }), "'Email' is empty: its expression gives no value"],
    [list({ status: '={{ "gone" }}' }), "'Status' is not one of its options: gone"],
    [list({ email: 'nobody' }), "'Email' is not an email address: nobody"],
  ],
  'teamMember/removeByEmail': [
    [{ emails: 'a@example.com, nobody' }, "'Emails' has an entry that is not an email address: nobody"],
  ],
  'teamMember/update': [
    [update({}), "'Update Fields' is empty"],
    [{ ...byEmail('jane@example.com'), updateFields: {} }, "'Update Fields' is empty"],
    // n8n drops an expression in place of a whole collection.
    [{ teamMemberId: ID, updateFields: '={{ { lastName: "" } }}' }, "'Update Fields' is empty"],
    [update({ firstName: '={{ undefined }}' }), "'First Name' is empty: its expression gives no value"],
    [update({ email: 'a@example.com', lastName: '={{ "" }}' }), "'Last Name' is empty: its expression gives no value"],
    [update({ email: 'a@example.com', lastName: ' ' }), "'Last Name' is empty"],
    [update({ nickname: 'Jay', active: false }), "'Update Fields' is empty"],
    [update({ lastName: '={{ ["x"] }}' }), `'Last Name' is not a text: ["x"]`],
    [update({ organizationRole: '' }), "'Organization Role' is empty"],
    [update({ timeZone: '' }), "'Time Zone' is empty"],
    [update({ email: 'a@b' }), "'Email' is not an email address: a@b"],
  ],
};

describe.each(Object.entries(REFUSED))('%s', (name, cases) => {
  const [resource, operation] = name.split('/');

  it.each(cases)('refuses %j by name, before a request, and says what to enter', async (parameters, message) => {
    const error = await harness.refused({ resource, operation, ...parameters });
    expect([error.message, error.description]).toEqual([
      message,
      expect.stringMatching(/^(?:Add|Choose|Correct|Enter|Turn|Use) .*\.$/),
    ]);
  });
});
