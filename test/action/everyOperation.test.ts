import { NeetoForm } from '../../nodes/NeetoForm/NeetoForm.node';
import { anyText, useForbiddenHost, useHarness } from '../support/harness';
import { OPERATIONS_AND_VERSIONS } from '../support/operations';

const harness = useHarness();
const forbiddenHost = useForbiddenHost();

it('a new node gets many of its resource', () => {
  const choices = new NeetoForm().description.properties.filter(({ name }) => name === 'operation');
  expect(choices.map((choice) => choice.default)).toEqual(['getAll', 'getAll', 'getAll']);
});

describe.each(OPERATIONS_AND_VERSIONS)('$title', ({ parameters }) => {
  it('sends one request with the key and the Accept header, and reports a wrong key', async () => {
    await expect(
      harness.fail(parameters, { credentials: { ...harness.credentials, apiKey: 'a wrong key' } }),
    ).resolves.toMatchObject({
      message: 'Could not authenticate, invalid API Key',
      httpCode: '401',
      description: anyText(/'API Key'.*another workspace/),
      failure: { cause: 'credential-invalid' },
    });
    const headers = { 'x-api-key': 'a wrong key', accept: 'application/json' };
    expect(harness.emulator.requests).toMatchObject([{ headers }]);
  });

  it('returns one linked error item for each input item with Continue On Fail, in their order', async () => {
    harness.emulator.fail({ when: { times: Infinity }, with: { status: 403, body: { error: 'Not allowed' } } });
    const items = await harness.run(parameters, { items: [{}, {}, {}], continueOnFail: true });
    expect(items).toMatchObject(
      [0, 1, 2].map((item) => ({
        // The next node sees nothing else, so the advice is in it.
        json: { error: anyText(/^Not allowed\. The API key is valid, /) },
        error: { message: 'Not allowed' },
        pairedItem: { item },
      })),
    );
    expect(harness.requests()).toHaveLength(3);
  });
});

it.each(['GET', 'POST', 'PATCH', 'DELETE'])('a %s request follows no redirect to another host', async (wanted) => {
  const { parameters } = OPERATIONS_AND_VERSIONS.find(({ method }) => method === wanted) ?? {};
  for (const status of [301, 307]) {
    harness.emulator.fail({ with: { status, headers: { location: `${forbiddenHost()}/api/external/v2/forms` } } });
    const { message, description } = await harness.fail(parameters ?? {});
    expect(message).toMatch(/^The service redirected the request to 127\.0\.0\.1:\d+, which was not followed$/);
    expect(description).toMatch(/'Subdomain'.*'Base URL'/);
  }
  expect(harness.emulator.requests).toHaveLength(2);
});

// What removes one thing expects nothing in the response.
it.each(OPERATIONS_AND_VERSIONS.filter(({ method, idParameter }) => method !== 'DELETE' || idParameter === undefined))(
  '$title reports a response of another shape, after one request',
  async ({ parameters }) => {
    harness.emulator.fail({ when: { times: Infinity }, with: { status: 200, body: { another: 'shape' } } });
    await expect(harness.fail(parameters)).resolves.toMatchObject({
      message: anyText(/^The service answered in a shape this node does not know: .*'/),
      description: anyText(/Update this package/),
    });
    expect(harness.requests()).toHaveLength(1);
  },
);
