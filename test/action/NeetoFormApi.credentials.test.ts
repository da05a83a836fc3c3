import type { INodeType } from 'n8n-workflow';

import { deepText, runNode } from '../support/engine';
import { placeholderType } from '../support/engine/workflow';
import { addForms, anyText, KEY, useForbiddenHost, useHarness } from '../support/harness';

const harness = useHarness();
const forbiddenHost = useForbiddenHost();

const listForms = { resource: 'form', operation: 'getAll' };

describe('the node with a credential', () => {
  it.each(['acme@evil.com', 'my proxy', 'ECONNREFUSED!'])(
    'whose subdomain is wrong (%s) sends nothing and names the field, in a list too',
    async (subdomain) => {
      const credentials = { ...harness.credentials, baseUrl: '', subdomain };
      const message = anyText(/^The credential's 'Subdomain' is not (?!.* attempts\))/);
      const error = await harness.refused(listForms, { credentials });
      expect(error).toMatchObject({ message, description: anyText(/Nothing was sent/) });
      await expect(harness.list('searchForms', { credentials })).rejects.toMatchObject({ message });
    },
  );

  it('is not used on neetoform.com with Ignore SSL Issues', async () => {
    const parameters = { ...listForms, requestOptions: { allowUnauthorizedCerts: true } };
    const { message } = await harness.fail(parameters, { credentials: { subdomain: 'acme', apiKey: KEY } });
    expect(message).toMatch(/^The API key was not sent: with (?!.* attempts\))/);
  });

  it.each([`${KEY}\nX-Other: y`, `${KEY}é`])(
    'whose key contains control characters sends no other header, and does not show the key: %j',
    async (apiKey) => {
      const error = await harness.fail(listForms, { credentials: { ...harness.credentials, apiKey } });
      expect(error).toMatchObject({ httpCode: '401' });
      expect(harness.emulator.requests).toHaveLength(1);
      expect(harness.emulator.requests[0]?.headers).not.toHaveProperty('x-other');
    },
  );
});

describe("another node with this credential, such as n8n's HTTP Request", () => {
  /** Requests any address, with the newer helper or the one that HTTP Request uses. @returns the response as text */
  async function ask(helper: (typeof helpers)[number], address: string): Promise<unknown> {
    const node: INodeType = {
      ...placeholderType({ credentials: [{ name: 'neetoFormApi', required: true }] }),
      async execute() {
        // HTTP Request uses a helper that is deprecated for other nodes.
        const send: unknown = Reflect.get(this.helpers, helper);
        if (typeof send !== 'function') throw new Error(`There is no ${helper}`);
        const redirects = { followRedirect: true, followAllRedirects: true };
        const options = { url: address, uri: address, json: true, ...redirects };
        const answer: unknown = await Reflect.apply(send, this, ['neetoFormApi', options]);
        return [[{ json: { answer: deepText(answer) } }]];
      },
    };
    const [item] = await runNode(node, { parameters: {}, credentials: harness.credentials });
    return item?.json.answer;
  }

  const helpers = ['httpRequestWithAuthentication', 'requestWithAuthentication'] as const;

  describe.each(helpers)('by %s', (helper) => {
    const path = '/api/external/v2/forms';

    it('gets a response from the workspace, and an error that says why nothing is sent to another host', async () => {
      addForms(harness.emulator, 1);
      expect(await ask(helper, harness.emulator.url + path)).toContain('Form 1');
      const outcome = ask(helper, forbiddenHost() + path);
      await expect(outcome).rejects.toThrow('The API key was not sent');
      await expect(outcome.catch(deepText)).resolves.not.toContain(KEY);
    });

    it('does not follow a redirect to another host', async () => {
      for (const status of [301, 307]) {
        harness.emulator.fail({ with: { status, headers: { location: forbiddenHost() + path } } });
        await ask(helper, harness.emulator.url + path).catch(() => undefined);
      }
      expect(harness.emulator.requests).toHaveLength(2);
    });
  });
});
