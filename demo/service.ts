import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';

import { sampleWorkspace, startEmulator } from '../emulator/index.ts';

export interface Service {
  /** How messages name the workspace. */
  name: string;
  credential: { subdomain: string; apiKey: string; baseUrl?: string };
  /** The form that the demo submits. In a real workspace, people submit the forms. */
  form?: {
    attemptUrl: string;
    submit(): void;
  };
  close(): Promise<void>;
}

const EMULATOR_PORT = 4010;
const SAVE_EVERY_MS = 2_000;

/** To the emulator's form "Contact us". */
const answers = {
  'full-name': { first_name: 'Ada', last_name: 'Lovelace' },
  'email-address': 'ada.lovelace@example.org',
  'phone-number': { country_name: 'United Kingdom', value: '+44 20 7946 0958' },
  'type-a-question': 'Sales',
  'type-a-question-2': 'Hello from the demo!',
};

/** Chooses the workspace of the environment, or else an emulated one, kept in a folder. @throws Error when the subdomain or the key is missing */
export async function chooseService(env: NodeJS.ProcessEnv, folder: string): Promise<Service> {
  const { NEETOFORM_SUBDOMAIN: subdomain, NEETOFORM_API_KEY: apiKey, NEETOFORM_BASE_URL: baseUrl } = env;
  if (!subdomain && !apiKey) return await emulatedService(join(folder, 'workspace.data'));
  if (!subdomain || !apiKey)
    throw new Error('To use your workspace, set both NEETOFORM_SUBDOMAIN and NEETOFORM_API_KEY.');
  return {
    name: `the NeetoForm workspace ${subdomain}`,
    credential: { subdomain, apiKey, ...(baseUrl && { baseUrl }) },
    close: async () => undefined,
  };
}

async function emulatedService(file: string): Promise<Service> {
  const seed = sampleWorkspace(Date.now());
  const emulator = await startEmulator({ port: EMULATOR_PORT, seed }).catch(async () => await startEmulator({ seed }));
  const { workspace, url, apiKey } = emulator;
  if (existsSync(file)) Object.assign(workspace, deserialize(readFileSync(file)));
  const save = () => {
    writeFileSync(`${file}.new`, serialize(workspace));
    renameSync(`${file}.new`, file);
  };
  save();
  const timer = setInterval(save, SAVE_EVERY_MS);
  const formId = workspace.forms.find(({ title }) => title === 'Contact us')?.id ?? '';
  return {
    name: 'a local emulator of NeetoForm',
    credential: { subdomain: 'acme', apiKey, baseUrl: url },
    form: {
      attemptUrl: `${url}/forms/${formId}/attempt`,
      submit: () => void workspace.addSubmission(formId, { answers }),
    },
    close: async () => {
      clearInterval(timer);
      await emulator.close();
      save();
    },
  };
}
