import { type Json, type QuestionInput, sampleWorkspace, startEmulator } from '../emulator/index.ts';

/** ms between two submissions of a form. */
export const INTERVAL_MS = 60_000;

const FIRST = Date.parse('2020-01-01T00:00:00Z');

/**
 * When a submission was made.
 *
 * @param place in its form, from 0
 * @returns as the service writes it
 */
export function timeOf(place: number): string {
  return new Date(FIRST + place * INTERVAL_MS).toISOString();
}

/**
 * The questions of a form, and answers to them as the service sends them. They are made once and shared: the service should spend its
 * time on sending, and 100,000 submissions should fit into memory.
 */
export async function exampleForm(): Promise<{ questions?: QuestionInput[]; answers: Json[][] }> {
  const [form] = sampleWorkspace().forms ?? [];
  if (form === undefined) throw new Error('The emulator has no example of a form');
  const emulator = await startEmulator({ seed: { forms: [form] }, listen: false });
  const { body } = await emulator.inject({
    url: `/api/external/v2/forms/${emulator.workspace.forms[0]?.id}/submissions`,
    headers: { 'x-api-key': emulator.apiKey, accept: 'application/json' },
  });
  await emulator.close();
  const { submissions } = JSON.parse(body) as { submissions: Array<{ responses: Json[] }> };
  return { questions: form.questions, answers: submissions.map(({ responses }) => responses) };
}
