import { sampleWorkspace, startEmulator } from '../emulator/index.ts';

/** The NeetoForm workspace that the demo works with. */
export interface Service {
  /** For messages. */
  name: string;
  credential: { subdomain: string; apiKey: string; baseUrl?: string };
  /** The form to watch. Missing: the first one that accepts submissions. */
  formId?: string;
  /** Submits the form. Missing for a real workspace: there, people do it. */
  submit?(): void;
  close(): Promise<void>;
}

const EMULATOR_PORT = 4010;

/** Answers to the emulator's form "Contact us". */
const answers = {
  'full-name': { first_name: 'Ada', last_name: 'Lovelace' },
  'email-address': 'ada.lovelace@example.org',
  'phone-number': { country_name: 'United Kingdom', value: '+44 20 7946 0958' },
  'type-a-question': 'Sales',
  'type-a-question-2': 'Hello from the demo!',
};

/**
 * Chooses the real service if the environment names a workspace and a key, otherwise an emulator on this machine.
 *
 * @throws Error if the environment has only one of the two
 */
export async function chooseService(env: NodeJS.ProcessEnv): Promise<Service> {
  const { NEETOFORM_SUBDOMAIN: subdomain, NEETOFORM_API_KEY: apiKey } = env;
  if (!subdomain && !apiKey) return await emulatedService();
  if (!subdomain || !apiKey)
    throw new Error('To use your workspace, set both NEETOFORM_SUBDOMAIN and NEETOFORM_API_KEY.');
  const { NEETOFORM_BASE_URL: baseUrl, NEETOFORM_FORM_ID: formId } = env;
  return {
    name: `the NeetoForm workspace ${subdomain}`,
    credential: { subdomain, apiKey, ...(baseUrl && { baseUrl }) },
    ...(formId && { formId }),
    close: async () => undefined,
  };
}

async function emulatedService(): Promise<Service> {
  const seed = sampleWorkspace(Date.now());
  const emulator = await startEmulator({ port: EMULATOR_PORT, seed }).catch(async () => await startEmulator({ seed }));
  const { workspace, url, apiKey } = emulator;
  const formId = workspace.forms.find(({ title }) => title === 'Contact us')?.id ?? '';
  return {
    name: 'a local emulator of NeetoForm',
    credential: { subdomain: 'acme', apiKey, baseUrl: url },
    formId,
    submit: () => void workspace.addSubmission(formId, { answers }),
    close: async () => await emulator.close(),
  };
}
