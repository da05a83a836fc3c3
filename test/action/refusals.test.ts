import { anyText, useHarness, type Parameters } from '../support/harness';
import { ID, PARAMETERS, withValue } from '../support/operations';

const harness = useHarness();

const downloads = (options: Parameters) => ({ formId: ID, options: { downloadFiles: true, ...options } });
const add = (additionalFields: Parameters) => ({ emails: 'jane@example.com', additionalFields });
const byEmail = (value: string) => ({ teamMemberId: { __rl: true, mode: 'email', value } });
const update = (updateFields: Parameters) => ({ teamMemberId: ID, updateFields });

const REFUSED: Record<string, Array<[parameters: Parameters, message: string]>> = {
  'form/create': [
    [{ title: ' ' }, "'Title' is empty"],
    [{ title: 'x', additionalFields: { createdByEmail: 'a@b' } }, "'Created By Email' is not an email address: a@b"],
  ],
  'form/get': [[{ formId: '..' }, "'Form' is not an ID"]],
  'form/getAll': [
    [{ limit: 0 }, "'Limit' is less than 1"],
    [{ limit: 130_000 }, "'Limit' is more than 120000"],
  ],
  'submission/getAll': [
    // A title and an address are looked up only when all parameters are right.
    [
      { formId: 'Survey', filters: { submittedAfter: '2026-02-09', submittedBefore: '2026-02-09T00:00:00Z' } },
      "'Submitted After' is not before 'Submitted Before': 2026-02-09T00:00:00.000Z and 2026-02-09T00:00:00.000Z",
    ],
    [downloads({ maxFileSizeMb: 0 }), "'Max File Size (MB)' is not more than 0"],
    [downloads({ allowedFileHosts: 'a.com, b/c' }), "'Allowed File Hosts' has an entry that is not a host name: b/c"],
  ],
  'teamMember/add': [
    [{ emails: 'good@example.com, jane@' }, "'Emails' has an entry that is not an email address: jane@"],
    [add({ invitedBy: 'the boss' }), "'Invited By' is not an email address: the boss"],
  ],
  'teamMember/get': [
    [{ teamMemberId: '..' }, "'Team Member' is not an ID"],
    [byEmail('nobody'), "'Team Member' is not an email address: nobody"],
  ],
  'teamMember/getAll': [[{ filters: { email: 'nobody' } }, "'Email' is not an email address: nobody"]],
  'teamMember/removeByEmail': [
    [{ emails: 'a@example.com, nobody' }, "'Emails' has an entry that is not an email address: nobody"],
  ],
  'teamMember/update': [
    [{ ...byEmail('jane@example.com'), updateFields: {} }, "'Update Fields' is empty"],
    // n8n drops an expression in place of a whole collection.
    [{ teamMemberId: ID, updateFields: '={{ { lastName: "" } }}' }, "'Update Fields' is empty"],
    [update({ email: 'a@example.com', lastName: ' ' }), "'Last Name' is empty"],
    [update({ email: '', lastName: 'Doe' }), "'Email' is empty"],
    [update({ firstName: '', lastName: 'Doe' }), "'First Name' is empty"],
    [update({ organizationRole: '', lastName: 'Doe' }), "'Organization Role' is empty"],
    [update({ timeZone: '', lastName: 'Doe' }), "'Time Zone' is empty"],
    [update({ nickname: 'Jay', active: false }), "'Update Fields' is empty"],
    [update({ email: 'a@b' }), "'Email' is not an email address: a@b"],
  ],
};

describe.each(Object.entries(REFUSED))('%s', (name, cases) => {
  const [resource, operation] = name.split('/');

  it.each(cases)('refuses %j by name, before a request, and says what to enter', async (parameters, message) => {
    const error = await harness.refused({ resource, operation, ...parameters });
    const description = anyText(/^(?:Add|Choose|Correct|Enter|Turn|Use) .*\.$/);
    // It does not look like a response: it has no status, nor a word for one.
    expect(error).toMatchObject({ message, description, httpCode: null, messages: [] });
  });
});

// A filter that disappears would return everything, and a field that disappears would change something else.
it.each(PARAMETERS)(
  '$title refuses $path when its expression gives no value, or none of its kind',
  async (parameter) => {
    const { parameters, path, label, within } = parameter;
    const others = { ...parameters, output: 'row', options: { downloadFiles: true } };
    /** Enters an expression in the field: in each mode of a resource locator. */
    const entered = (expression: string): unknown[] => {
      const modes = within.at(-1)?.modes ?? [];
      return modes.length === 0
        ? [expression]
        : modes.map(({ name }) => ({ __rl: true, mode: name, value: expression }));
    };
    for (const nothing of ['$json.missing', '" "', '["", null]'].flatMap((code) => entered(`={{ ${code} }}`))) {
      const error = await harness.refused(withValue(others, path, nothing));
      expect([error.message, error.description]).toEqual([
        `'${label}' is empty: its expression gives no value`,
        expect.stringMatching(/^(?:Correct|Enter) /),
      ]);
    }
    for (const object of entered('={{ ({ a: 1 }) }}')) {
      const { message } = await harness.refused(withValue(others, path, object));
      expect(message.startsWith(`'${label}' `)).toBe(true);
    }
  },
);
