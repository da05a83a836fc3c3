import { NodeApiError, type INodeProperties } from 'n8n-workflow';

import { NeetoFormApi } from '../../credentials/NeetoFormApi.credentials';
import type { FaultEffect } from '../../emulator/index.ts';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';
import { useHarness } from '../support/harness';
import { ID } from '../support/operations';
import { useFastClock } from './fastClock';

// What fails outside the action node: the trigger, and the lists that the editor opens.

const harness = useHarness();
useFastClock(20);

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

const refusal = (status: number, error: string): FaultEffect => ({ status, body: { error } });
const BAD_DATE = 'submitted_after must be an ISO 8601 date (YYYY-MM-DD) or date-time.';

/** Asks the service, which answers with a failure, and expects that the text says it and names nothing that the panel lacks. */
async function expectToSay(ask: () => Promise<unknown>, effect: FaultEffect, said: RegExp): Promise<void> {
  harness.allowUndocumented();
  harness.emulator.fail({ when: { times: Infinity }, with: effect });
  const error: unknown = await ask().catch((thrown: unknown) => thrown);
  if (!(error instanceof NodeApiError)) throw new Error('An error of n8n was expected', { cause: error });
  const text = `${error.message} ${error.description ?? ''}`;
  expect(text).toMatch(said);
  expect(text).not.toMatch(/Request Options|Batching|Submitted|field named|Check '(?:Order|Submitted)/);
  const named = [...text.matchAll(/'([A-Z][A-Za-z ]*)'/g)].map(([, label]) => label);
  expect(named.filter((label) => !panel.includes(label ?? ''))).toEqual([]);
}

it.each(Object.entries(askers))(
  '%s says what the service refused, and names nothing that its panel lacks',
  async (_asker, ask) => {
    await expectToSay(ask, refusal(400, BAD_DATE), /^submitted_after must be/);
  },
);

it.each<[what: string, effect: FaultEffect, said: RegExp]>([
  ['an order that is refused', refusal(422, 'order must be asc or desc.'), /^order must be asc or desc/],
  ['a refusal without words', { status: 422 }, /refused the request with status 422/],
  ['a wrong key', refusal(401, 'invalid API Key'), /^invalid API Key/],
  ['a role without permission', refusal(403, 'Not allowed'), /^Not allowed/],
  ['an address that is not known', { status: 404 }, /does not know this address/],
  ['a rate limit', { status: 429, headers: { 'Retry-After': '600' } }, /limiting the rate.* in 10 minutes/],
  ['a redirect', { status: 302, headers: { location: 'https://elsewhere.example.com' } }, /elsewhere\.example\.com/],
  ['a web page', { status: 200, body: '<!DOCTYPE html>' }, /web page/],
  ['another shape', { status: 200, body: { hello: 1 } }, /a shape this node does not know/],
  ['a connection that breaks', { reset: true }, /connection to the service was lost/],
])('the list of forms names nothing that its panel lacks after %s', async (_what, effect, said) => {
  await expectToSay(askers['a list of forms'], effect, said);
});
