import { sampleWorkspace, startEmulator } from '../emulator/index.ts';

/** The NeetoForm workspace that the demo works with. */
export interface Service {
  /** For messages. */
  name: string;
  credential: { subdomain: string; apiKey: string; baseUrl?: string };
  /** The form to watch; the first one that accepts submissions if neither is set. */
  form: { title?: string; id?: string };
  /** Submits the form. Missing for a real workspace: there, people do it. */
  submit?(attemptUrl: string): Promise<void>;
  close(): Promise<void>;
}

const EMULATOR_PORT = 4010;

/** Answers to the emulator's form "Contact us", by the names of the page's fields. */
const answers = {
  'full-name[first_name]': 'Ada',
  'full-name[last_name]': 'Lovelace',
  'email-address': 'ada.lovelace@example.org',
  'phone-number[country]': 'United Kingdom',
  'phone-number': '+44 20 7946 0958',
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
  const { NEETOFORM_BASE_URL: baseUrl, NEETOFORM_FORM_ID: id } = env;
  return {
    name: `the NeetoForm workspace ${subdomain}`,
    credential: { subdomain, apiKey, ...(baseUrl && { baseUrl }) },
    form: id ? { id } : {},
    close: async () => undefined,
  };
}

async function emulatedService(): Promise<Service> {
  const seed = sampleWorkspace(Date.now());
  const emulator = await startEmulator({ port: EMULATOR_PORT, seed }).catch(
    async () => await startEmulator({ port: 0, seed }),
  );
  return {
    name: 'a local emulator of NeetoForm',
    credential: { subdomain: 'acme', apiKey: emulator.apiKey, baseUrl: emulator.url },
    form: { title: 'Contact us' },
    submit,
    close: async () => await emulator.close(),
  };
}

/** Submits the form the way a browser does. */
async function submit(attemptUrl: string): Promise<void> {
  const body = new FormData();
  for (const [name, value] of Object.entries(answers)) body.append(name, value);
  const response = await fetch(attemptUrl, { method: 'POST', body });
  if (!response.ok) throw new Error(`The form at ${attemptUrl} did not accept the submission (${response.status})`);
}
