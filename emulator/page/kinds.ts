/** How a kind of question is put to a respondent. */
export type Control =
  | { as: 'input'; type: 'text' | 'email' | 'url' | 'number' | 'date' | 'time'; autocomplete?: string }
  | { as: 'textarea' }
  | { as: 'radios' }
  | { as: 'scale'; from: number; to: number }
  | { as: 'checkboxes' }
  | { as: 'select' }
  | { as: 'name' }
  | { as: 'phone' }
  | { as: 'address' }
  | { as: 'files' };

const CONTROLS: Record<string, Control> = {
  short_text: { as: 'input', type: 'text' },
  long_text: { as: 'textarea' },
  email: { as: 'input', type: 'email', autocomplete: 'email' },
  website: { as: 'input', type: 'url', autocomplete: 'url' },
  number: { as: 'input', type: 'number' },
  date: { as: 'input', type: 'date' },
  time: { as: 'input', type: 'time' },
  single_choice: { as: 'radios' },
  multiple_choice: { as: 'checkboxes' },
  drop_down: { as: 'select' },
  star_rating: { as: 'scale', from: 1, to: 5 },
  opinion_scale: { as: 'scale', from: 0, to: 10 },
  name: { as: 'name' },
  phone: { as: 'phone' },
  address: { as: 'address' },
  file_upload: { as: 'files' },
};

/** The parts of an address, by the ending of the name of their field. */
export const ADDRESS_PARTS = [
  { key: 'street', label: 'Street address', autocomplete: 'street-address' },
  { key: 'city', label: 'City', autocomplete: 'address-level2' },
  { key: 'state', label: 'State', autocomplete: 'address-level1' },
  { key: 'zip', label: 'Zip code', autocomplete: 'postal-code' },
  { key: 'country', label: 'Country', autocomplete: 'country-name' },
];

/** The countries a phone number can belong to. */
export const PHONE_COUNTRIES = [
  'Australia',
  'Brazil',
  'Germany',
  'India',
  'Japan',
  'Nigeria',
  'United Kingdom',
  'United States',
];

/** The control of a kind of question; a kind that is not known gets a line of text. */
export function controlOf(kind: string): Control {
  return CONTROLS[kind] ?? { as: 'input', type: 'text' };
}

/** What can be chosen on a scale. */
export function scaleSteps({ from, to }: { from: number; to: number }): string[] {
  return Array.from({ length: to - from + 1 }, (_, step) => String(from + step));
}

/** The name of the field that holds a part of an answer. */
export function partName(slug: string, part: string): string {
  return `${slug}[${part}]`;
}
