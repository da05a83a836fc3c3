import getPort from 'get-port';

import { believableWorkspace, startEmulator } from '../emulator/index.ts';
import { fillInContactForm } from './fillIn.ts';

/** The form-building service that the demo's credential leads to. */
export interface Service {
  name: string;
  credential: Record<string, string>;
  /** The form to watch, by title or id; the first one that takes submissions if it is not given. */
  form: { title?: string; id?: string };
  /** Fills in the form; a service with people in it leaves that to them. */
  submit?(attemptUrl: string): Promise<void>;
  close(): Promise<void>;
}

const emulatorPort = 4010;

/** The real service when the environment names a workspace and a key, else one on this machine. */
export async function chooseService(env: NodeJS.ProcessEnv): Promise<Service> {
  const {
    NEETOFORM_SUBDOMAIN: subdomain,
    NEETOFORM_API_KEY: apiKey,
    NEETOFORM_BASE_URL: baseUrl,
    NEETOFORM_FORM_ID: id,
  } = env;
  if (subdomain && apiKey) return realService({ subdomain, apiKey, ...(baseUrl && { baseUrl }) }, id);
  if (subdomain || apiKey)
    throw new Error(
      'For the real service set both NEETOFORM_SUBDOMAIN and NEETOFORM_API_KEY; for the emulator set neither.',
    );
  return await emulatedService();
}

function realService(credential: Record<string, string>, id: string | undefined): Service {
  return {
    name: `the NeetoForm workspace ${credential['subdomain']}`,
    credential,
    form: id ? { id } : {},
    close: async () => undefined,
  };
}

async function emulatedService(): Promise<Service> {
  const emulator = await startEmulator({
    port: await getPort({ port: emulatorPort, host: '127.0.0.1' }),
    seed: believableWorkspace(Date.now()),
  });
  return {
    name: `a NeetoForm workspace emulated on this machine (${emulator.url})`,
    credential: { subdomain: 'acme', apiKey: emulator.apiKey, baseUrl: emulator.url },
    form: { title: 'Contact us' },
    submit: fillInContactForm,
    close: emulator.close,
  };
}
