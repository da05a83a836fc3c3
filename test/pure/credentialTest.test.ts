import { NeetoFormApi } from '../../credentials/NeetoFormApi.credentials';

/** What the test of a credential says, as n8n reads the rules: the first that matches. */
const rules: Array<{ type: string; properties: { key?: string; value?: unknown; message: string } }> =
  new NeetoFormApi().test.rules ?? [];

const messageFor = (type: string, wanted: unknown) =>
  rules.find((rule) => rule.type === type && rule.properties.value === wanted)?.properties.message;

const NO_WORKSPACE = /^No NeetoForm workspace answers at this address\. Check 'Subdomain'.*'Base URL'/;
const REFUSED = (status: number) =>
  new RegExp(`refused the request \\(status ${status}\\)\\. Run NeetoForm > Form > Get Many`);
const FAILED = (status: number) =>
  new RegExp(`could not process the request \\(status ${status}\\)\\. Try again later$`);

const STATUSES = new Map<number, RegExp>([
  [401, /refused the API key\. Check 'API Key'/],
  [403, /^The API key is valid, but its owner's role cannot list forms/],
  [429, /limiting the rate of requests\. Try again in a minute$/],
  ...[301, 302, 303, 307, 308, 404].map((status): [number, RegExp] => [status, NO_WORKSPACE]),
  ...[400, 422].map((status): [number, RegExp] => [status, REFUSED(status)]),
  ...[500, 502, 503, 504].map((status): [number, RegExp] => [status, FAILED(status)]),
]);

it.each([...STATUSES])('the test of a credential says what status %i means', (status, message) => {
  expect(messageFor('responseCode', status)).toMatch(message);
});

it.each([undefined, null])('the test of a credential fails when the list of forms is %p', (value) => {
  expect(messageFor('responseSuccessBody', value)).toMatch(
    /^The server answered without a list of forms\..*'Subdomain'/,
  );
});

it('the test of a credential has no other rules, and looks for the list of forms alone', () => {
  expect(rules).toHaveLength(STATUSES.size + 2);
  const keys = rules.flatMap(({ type, properties: { key } }) => (type === 'responseCode' ? [] : [key]));
  expect(keys).toEqual(['forms', 'forms']);
});
