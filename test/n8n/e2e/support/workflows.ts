import type { IDataObject } from 'n8n-workflow';

/** The value of a resource locator in its ID mode. */
export function byId(value: string): IDataObject & { __rl: true; mode: string; value: string } {
  return { __rl: true, mode: 'id', value };
}

/** Answers to the sample workspace's form "Contact us", by the names of the page's fields. */
export const contactAnswers = {
  'full-name[first_name]': 'Grace',
  'full-name[last_name]': 'Hopper',
  'email-address': 'grace.hopper@example.org',
  'type-a-question': 'Sales',
  'type-a-question-2': 'First line\nsecond line',
};

/** Submits a form on its page, the way a browser does. */
export async function submitForm(attemptUrl: string, answers: Record<string, string>): Promise<void> {
  const response = await fetch(attemptUrl, { method: 'POST', body: new URLSearchParams(answers) });
  if (!response.ok) throw new Error(`The form's page responded with ${response.status}: ${await response.text()}`);
}
