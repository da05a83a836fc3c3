import { sampleWorkspace, startEmulator } from '../../../emulator/index.ts';
import { N8nClient } from '../../../n8n-runner/client.ts';
import { credentialFor } from '../e2e/support/instance.ts';
import { type Connection, describeChecks } from './checks.ts';

/** The instance to test, with the package installed. It must run where it reaches the loopback of this computer. */
const { N8N_URL: url, N8N_EMAIL: email, N8N_PASSWORD: password } = process.env;
if (!url || !email || !password) throw new Error('Set N8N_URL, N8N_EMAIL and N8N_PASSWORD');

describe(`the n8n at ${url}`, () => {
  let connection: Connection;
  beforeAll(async () => {
    const client = new N8nClient(url.replace(/\/$/, ''));
    await client.login({ email, password });
    const emulator = await startEmulator({ seed: sampleWorkspace(Date.now()) });
    const credential = await client.createCredential({ ...credentialFor(emulator), name: 'NeetoForm compatibility' });
    connection = { client, emulator, credential };
  });
  afterAll(async () => {
    await connection.client.deleteCredential(connection.credential.id);
    await connection.emulator.close();
  });

  describeChecks(() => connection);
});
