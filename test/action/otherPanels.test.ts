import { NodeApiError } from 'n8n-workflow';

import { useHarness } from '../support/harness';
import { ID } from '../support/operations';

// What fails outside the action node: the trigger, and the lists that the editor opens.

const harness = useHarness();

const form = { __rl: true, mode: 'id', value: ID };

const askers = {
  'a list of forms': async () => await harness.list('searchForms'),
  'a list of team members': async () => await harness.list('searchTeamMembers'),
  'a list of forms in one piece': async () => await harness.options('getForms'),
  'a list of questions': async () => await harness.options('getQuestions', { parameters: { formId: form } }),
  'a list of roles': async () => await harness.options('getRoles'),
  'the trigger': async () => await harness.fetchTestEvent({ triggerOn: 'one', formId: form }),
  'the trigger for all forms': async () => await harness.fetchTestEvent({ triggerOn: 'allActive' }),
};

it.each(Object.entries(askers))(
  '%s says what the service refused, and names no field of the action node',
  async (_asker, ask) => {
    const said = 'submitted_after must be an ISO 8601 date (YYYY-MM-DD) or date-time.';
    harness.emulator.fail({
      when: { times: Infinity },
      with: { status: 429, headers: { 'Retry-After': '3600' }, body: { error: said } },
    });
    const error: unknown = await ask().catch((thrown: unknown) => thrown);
    if (!(error instanceof NodeApiError)) throw new Error('An error of n8n was expected', { cause: error });
    expect(error.message).toBe(said);
    const text = `${error.message} ${error.description ?? ''}`;
    expect(text).not.toMatch(/Request Options|Batching|Submitted|field named|Check '(?:Order|Submitted)/);
  },
);
