import { sampleWorkspace, startEmulator } from '../../../emulator/index.ts';
import { N8nClient } from '../../../n8n-runner/client.ts';
import { credentialFor } from '../e2e/support/instance.ts';
import { type Connection, describeChecks } from './checks.ts';

/** The instance to test, with the package installed. It must run where it reaches the loopback of this computer. */
const { N8N_URL: url, N8N_EMAIL: email, N8N_PASSWORD: password } = process.env;

describe(`the n8n at ${url ?? '(no N8N_URL)'}`, () => {
  let connection: Connection;
  let cleanUp = async (): Promise<void> => undefined;
  beforeAll(async () => {
    if (!url || !email || !password) throw new Error('Set N8N_URL, N8N_EMAIL and N8N_PASSWORD');
    const client = new N8nClient(url.replace(/\/$/, ''));
    await client.login({ email, password });
    const emulator = await startEmulator({ seed: sampleWorkspace(Date.now()) });
    const credential = await client.createCredential({ ...credentialFor(emulator), name: 'NeetoForm compatibility' });
    connection = { client, emulator, credential };
    cleanUp = async () => {
      await client.deleteCredential(credential.id);
      await emulator.close();
    };
  });
  afterAll(async () => await cleanUp());

  describeChecks(() => connection);
});
