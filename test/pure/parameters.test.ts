import { UserError } from 'n8n-workflow';

import { isUuid, requireId } from '../../nodes/NeetoForm/parameters/ids';
import {
  requireBoolean,
  requireDate,
  requireEmail,
  requireEmails,
  requirePositiveNumber,
  requireOption,
  requireText,
  splitTexts,
  requireWholeNumber,
} from '../../nodes/NeetoForm/parameters/values';
import { words } from '../support/words';
import type { ChoiceField } from '../../nodes/NeetoForm/fields/shapes';

const LABEL = 'Some Field';
const FIELD = { displayName: LABEL, typeOptions: { minValue: 1, maxValue: 10 } };
const CHOICES: ChoiceField<'active' | 'v2'> = {
  displayName: LABEL,
  name: 'field',
  type: 'options',
  options: [
    { name: 'Active', value: 'active' },
    { name: 'V2', value: 'v2' },
  ],
  default: 'active',
};

const READERS = {
  text: (value: unknown) => requireText(FIELD, value),
  email: (value: unknown) => requireEmail(FIELD, value),
  emails: (value: unknown) => requireEmails(FIELD, value),
  boolean: (value: unknown) => requireBoolean(FIELD, value),
  'number above 0': (value: unknown) => requirePositiveNumber(FIELD, value),
  'whole number from 1 to 10': (value: unknown) => requireWholeNumber(FIELD, value),
  option: (value: unknown) => requireOption(CHOICES, value),
  texts: (value: unknown) => splitTexts(FIELD, value),
  date: (value: unknown) => requireDate(FIELD, value, 'Asia/Tokyo'),
  id: (value: unknown) => requireId(LABEL, value, 'form'),
};
type Kind = keyof typeof READERS;

/** Rows of a table in which several values are read as one, or are refused with one message. */
const each = <T>(kind: Kind, values: unknown[], result: T): Array<[Kind, unknown, T]> =>
  values.map((value) => [kind, value, result]);

const circular: Record<string, unknown> = {};
circular.itself = circular;

const ID = '2d1f0c4e-8b7a-4c39-9a53-3c8f5b1e7d20';
const OTHER = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const EMAILS = words(
  "jane@example.com o'brien+tag@mail.example.co.uk a.b-c_d@1x.example jürgen@müller.de JANE@EXAMPLE.COM jane@my-company.com",
);
const INSTRUCTION = /^(?!.*(?:[Ee]rror|undefined|\[object))(?:Enter|Turn|Choose|Use) .*\.$/;
const TWO_EMAILS = ['a@example.com', 'b@example.com'];

it.each<[Kind, value: unknown, result: unknown]>([
  ['text', ' as it was ', ' as it was '],
  ...each('text', [2026, '2026'], '2026'),
  ['text', 0, '0'],
  ...EMAILS.flatMap((email) => each('email', [email, ` ${email}\n`], email)),
  ...EMAILS.map((email): [Kind, string, string[]] => ['emails', `${email} , ${email}`, [email]]),
  ...each(
    'emails',
    [',', ';', '\n', '\r\n', ' ;; '].map((separator) => ` ${TWO_EMAILS.join(separator)}\n`),
    TWO_EMAILS,
  ),
  ['emails', ['a@example.com', ' b@example.com ', '', 'a@example.com'], TWO_EMAILS],
  ...each('boolean', [true, 1, 'true', 'TRUE', 'True', ' true ', '1', 'yes', 'Yes'], true),
  ...each('boolean', [false, 0, 'false', 'FALSE', 'False', '0', 'no', 'No'], false),
  ...each('number above 0', [5, '5', ' 5 ', '+5', '5.0'], 5),
  ['whole number from 1 to 10', 1, 1],
  ['whole number from 1 to 10', 10, 10],
  ['number above 0', 0.5, 0.5],
  ['number above 0', '12.25', 12.25],
  // The longest address that is accepted has 320 characters.
  ['email', `${'a'.repeat(308)}@example.com`, `${'a'.repeat(308)}@example.com`],
  // Of two spellings of one address, the first is kept.
  ['emails', 'Jane@example.com, jane@Example.com', ['Jane@example.com']],
  ...each('option', ['active', 'ACTIVE', ' Active '], 'active'),
  ...each('texts', ['a, b ,a', 'a\nb', ' a\r\n b'], ['a', 'b']),
  ['texts', ['a', ' b ', 7], words('a b 7')],
  ['texts', ' ["a, b", 7]', ['a, b', '7']],
  ['texts', '[a, b', ['[a', 'b']],
  ['emails', '["a@example.com", "b@example.com"]', TWO_EMAILS],
  ...each('texts', ['', undefined, []], []),
  // The time zone is that of the workflow.
  ['date', '2026-02-09T08:30:00', Date.parse('2026-02-08T23:30:00Z')],
  ...each('id', [ID, ` ${ID}\n`, { mode: 'list', value: ID }, { __rl: true, mode: 'url', value: ID }], ID),
  ['id', { __rl: true, mode: 'id', value: `https://acme.neetoform.com/forms/${ID}` }, ID],
  ['id', ` https://acme.neetoform.com/forms/${ID}`, ID],
  ['id', 'x https://acme.neetoform.com', 'x https://acme.neetoform.com'],
  ['id', 42, '42'],
  ...each(
    'id',
    words(`
      https://acme.neetoform.com/${ID} HTTPS://acme.neetoform.com/${ID} https://acme.neetoform.com/forms/${ID}#x http://127.0.0.1:4010/forms/${ID}/attempt
      https://acme.neetoform.com/admin/forms/${ID}/submissions?page=2#top
      https://acme.neetoform.com/forms/${ID}/submissions/${OTHER} https://acme.neetoform.com/forms/${ID}?next=/${OTHER}`),
    ID,
  ),
])('%s: %p is read as %p', (kind, value, result) => {
  expect(READERS[kind](value)).toEqual(result);
});

const NO_EMAILS = [
  ...words(`
    nobody a@b a@ @example.com a@x..com a..b@example.com .a@example.com a.@example.com a@-example.com a@example-.com
    a@example.com. a@b@example.com mailto:jane@example.com`),
  ...words('@ , ; : < > ( ) "').flatMap((sign) => [`a${sign}b@example.com`, `a.b${sign}c@example.com`]),
  ...['a b@example.com', 'Jane <jane@example.com>', `${'a'.repeat(320)}@example.com`],
];
const NO_NUMBERS = [undefined, null, '', 'many', '1e3', '0x10', '5 items', true, [5], NaN, Infinity, {}];

it.each<[Kind, value: unknown, message: string | RegExp]>([
  ['text', true, 'is not a text: true'],
  ['text', { a: 1 }, 'is not a text: {"a":1}'],
  ['text', NaN, 'is not a text: null'],
  ['text', circular, 'is not a text: {"itself":"[Circular Reference]"}'],
  ...each('text', ['', '  ', undefined, null], 'is empty'),
  ...each('email', [...NO_EMAILS, 42, {}, ['jane@example.com']], /is not an email address: /),
  ...each('email', ['', undefined, null], 'is empty'),
  ...each('emails', NO_EMAILS, /has an entry that is not an email address: /),
  ...each('emails', ['', ' , ', [], ['', ' '], undefined, null], 'is empty'),
  ['emails', 42, 'has an entry that is not an email address: 42'],
  ['emails', ['x', 'a@example.com', 'y'], 'has entries that are not email addresses: x, y'],
  ...each(
    'boolean',
    [undefined, null, '', 2, -1, 'on', 'maybe', 'null', 'undefined', [true], {}],
    /is neither true nor false: /,
  ),
  ...each('number above 0', NO_NUMBERS, /is not a number: /),
  ...each('whole number from 1 to 10', [0, -5, '-5', ' -5.0 '], 'is less than 1'),
  ['whole number from 1 to 10', 11, 'is more than 10'],
  ['whole number from 1 to 10', '2.5', 'is not a whole number: 2.5'],
  ['number above 0', 0, 'is not more than 0'],
  ...each('option', ['', 'other', ['active'], { value: 'active' }, undefined, null, 1], /is not one of its options: /),
  ['texts', ['a', {}], 'is not a text: {}'],
  ['texts', true, 'is not a text: true'],
  ['text', [' x '], 'is not a text: [" x "]'],
  ['email', ' x ', 'is not an email address: x'],
  ...each('date', ['', 'yesterday', null], /is not a date: /),
  ...each(
    'id',
    words(`
      https://acme.neetoform.com https://acme.neetoform.com/contact-us https://acme.neetoform.com/forms/${ID}b
      https://acme.neetoform.com/forms/2d1f0c4e-8b7a-4c39-9a53 https://acme.neetoform.com/?form=${ID}
      https://${ID}.example.com/x http://acme.neetoform.com HTTPS://acme.neetoform.com`),
    'is an address from which no ID can be read',
  ),
  ...each('id', [{ mode: 'url', value: undefined }, { mode: 'url', value: null }, undefined, null, ''], 'is empty'),
  ...each('id', ['   ', '\t\n', '\u00a0\u3000'], 'is empty'),
  ...each(
    'id',
    ['.', '..', ' .. ', true, {}, { value: ID }, ['x'], '\ud800', 'x\udc00', NaN, 1.5, 2 ** 53],
    'is not an ID',
  ),
])('%s: %p is refused by name, with what to enter: it %s', (kind, value, problem) => {
  const message =
    typeof problem === 'string'
      ? `'Some Field' ${problem}`
      : (expect.stringMatching(`^'Some Field' ${problem.source}`) as string);
  const description = expect.stringMatching(INSTRUCTION) as string;
  const read = () => READERS[kind](value);
  expect(read).toThrow(UserError);
  expect(read).toThrow(expect.objectContaining({ message, description }) as Error);
  expect(read).not.toThrow(/error|undefined\b.*undefined|\[object/i);
});

it.each<[Kind, value: unknown, instruction: string]>([
  ['text', '', 'Enter a text. Nothing was sent.'],
  ['text', true, 'Enter a text. Nothing was sent.'],
  ['email', '', 'Enter an email address, for example jane@example.com.'],
  ['email', 'x', 'Enter one email address, for example jane@example.com. Nothing was sent.'],
  ['emails', '', 'Enter at least one email address, several separated by commas.'],
  ['emails', 'x', 'Enter addresses such as jane@example.com, several separated by commas. Nothing was sent.'],
  ['boolean', 2, 'Turn it on or off, or give true or false.'],
  ['number above 0', 'x', 'Enter a number.'],
  ['number above 0', 0, 'Enter a number of more than 0.'],
  ['whole number from 1 to 10', 0.5, 'Enter a whole number from 1 to 10.'],
  ['whole number from 1 to 10', 0, 'Enter a whole number from 1 to 10.'],
  ['whole number from 1 to 10', 11, 'Enter a whole number from 1 to 10.'],
  ['option', 'x', 'Choose one of: active, v2.'],
  ['texts', true, 'Enter a text. Nothing was sent.'],
  ['date', 'x', 'Enter a date-time such as 2026-02-09T08:30:00Z, or a date such as 2026-02-09.'],
  ['id', '', 'Choose a form from the list, or enter its ID as the service shows it.'],
])('%s: %p is refused with what to enter: %s', (kind, value, description) => {
  expect(() => READERS[kind](value)).toThrow(expect.objectContaining({ description }) as Error);
});

it('a number without an upper limit is refused with its lower one', () => {
  const description = 'Enter a whole number of at least 1.';
  const read = () => requireWholeNumber({ ...FIELD, typeOptions: { minValue: 1 } }, 0);
  expect(read).toThrow(expect.objectContaining({ description }) as Error);
});

it('a long value is cut in a message', () => {
  expect(() => requireEmail(FIELD, 'x'.repeat(200))).toThrow(/: x{200}$/);
  expect(() => requireEmail(FIELD, 'x'.repeat(5_000))).toThrow(/^'Some Field' is not an email address: .{201}$/);
});

it('an ID is a UUID in any letters, and with spaces around it', () => {
  expect([ID, ` ${ID.toUpperCase()} `].every(isUuid)).toBe(true);
  expect([`${ID}0`, `x${ID}`, undefined].some(isUuid)).toBe(false);
});
