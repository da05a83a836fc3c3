import { NodeApiError, type INodeProperties } from 'n8n-workflow';

import { NeetoFormApi } from '../../credentials/NeetoFormApi.credentials';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';
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

const labelsIn = (properties: INodeProperties[]): string[] =>
  properties.flatMap(({ displayName, options = [] }) => [
    displayName,
    ...options.flatMap((option) => ('displayName' in option ? option.displayName : [])),
  ]);

// The lists open in fields that the trigger has, too, but for the one of team members.
const panel = [
  ...labelsIn(new NeetoFormTrigger().description.properties),
  ...labelsIn(new NeetoFormApi().properties),
  'Team Member',
];

it.each(Object.entries(askers))(
  '%s says what the service refused, and names nothing that its panel lacks',
  async (_asker, ask) => {
    harness.allowUndocumented();
    const said = 'submitted_after must be an ISO 8601 date (YYYY-MM-DD) or date-time.';
    harness.emulator.fail({ when: { times: Infinity }, with: { status: 400, body: { error: said } } });
    const error: unknown = await ask().catch((thrown: unknown) => thrown);
    if (!(error instanceof NodeApiError)) throw new Error('An error of n8n was expected', { cause: error });
    expect(error.message).toBe(said);
    const text = `${error.message} ${error.description ?? ''}`;
    expect(text).not.toMatch(/Request Options|Batching|Submitted|field named|Check '(?:Order|Submitted)/);
    const named = [...text.matchAll(/'([A-Z][A-Za-z ]*)'/g)].map(([, label]) => label);
    expect(named.filter((label) => !panel.includes(label ?? ''))).toEqual([]);
  },
);
