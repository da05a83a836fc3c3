const answers = {
  'full-name[first_name]': 'Ada',
  'full-name[last_name]': 'Lovelace',
  'email-address': 'ada.lovelace@example.org',
  'phone-number[country]': 'United Kingdom',
  'phone-number': '+44 20 7946 0958',
  'type-a-question': 'Sales',
  'type-a-question-2': 'Hello from the demo. Does it compose music as well?',
};

/** Submits the believable workspace's "Contact us" form the way a browser does. */
export async function fillInContactForm(attemptUrl: string): Promise<void> {
  const body = new FormData();
  for (const [name, value] of Object.entries(answers)) body.append(name, value);
  const response = await fetch(attemptUrl, { method: 'POST', body });
  if (!response.ok) throw new Error(`The form at ${attemptUrl} was not accepted (${response.status})`);
}
