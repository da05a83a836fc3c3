/** Answers to the believable workspace's "Contact us" form, by the names of the page's fields. */
export const contactAnswers = {
  'full-name[first_name]': 'Grace',
  'full-name[last_name]': 'Hopper',
  'email-address': 'grace.hopper@example.org',
  'type-a-question': 'Sales',
  'type-a-question-2': 'First line\nsecond line',
};

/** Fills in a form on its page, the way a browser does. */
export async function fillIn(attemptUrl: string, answers: Record<string, string>): Promise<void> {
  const body = new FormData();
  for (const [name, value] of Object.entries(answers)) body.append(name, value);
  const response = await fetch(attemptUrl, { method: 'POST', body });
  if (!response.ok) throw new Error(`The page answered ${response.status}: ${await response.text()}`);
}
