import { UserError } from 'n8n-workflow';

import {
  isEmail,
  listOfTexts,
  optionalEmail,
  optionalText,
  requireBoolean,
  requireDate,
  requireEmail,
  requireEmails,
  requireId,
  requireNumber,
  requireOption,
  requireText,
  requireTimeZone,
  requireWholeNumber,
} from '../../nodes/NeetoForm/parameters';
import { words } from '../support/words';

const LABEL = 'Some Field';

/** Expects a refusal that names the field and says what to enter. */
function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    expect(error.message).toMatch(/^'Some Field' /);
    expect(error.description).toMatch(/^(?:Enter|Turn|Choose|Use) .*\.$/);
    expect(`${error.message} ${String(error.description)}`).not.toMatch(/error|undefined\b.*undefined|\[object/i);
    return error.message.replace("'Some Field' ", '');
  }
  throw new Error('A refusal was expected');
}

const circular: Record<string, unknown> = {};
circular.itself = circular;

describe('a text', () => {
  it.each([
    ['a text', 'a text'],
    [' as it was ', ' as it was '],
    [7, '7'],
    [0, '0'],
    [2.5, '2.5'],
  ])('is read from %p', (value, text) => {
    expect([requireText(LABEL, value), optionalText(LABEL, value)]).toEqual([text, text]);
  });

  it.each([
    [true, 'true'],
    [{ a: 1 }, '{"a":1}'],
    [['x'], '["x"]'],
    [NaN, 'null'],
    [circular, 'object'],
  ])('is not %p', (value, shown) => {
    for (const read of [requireText, optionalText])
      expect(refusal(() => read(LABEL, value))).toBe(`is not a text: ${shown}`);
  });

  it.each(['', '  ', undefined, null])('is empty when it is %p', (value) => {
    expect(refusal(() => requireText(LABEL, value))).toBe('is empty');
  });

  it('may be blank, or nothing, when it is optional', () => {
    expect(['', undefined, null].map((value) => optionalText(LABEL, value))).toEqual(['', undefined, undefined]);
  });

  it('is cut in a message when it is long', () => {
    const message = refusal(() => requireEmail(LABEL, 'x'.repeat(5_000)));
    expect(message).toHaveLength('is not an email address: '.length + 201);
  });
});

describe('an email address', () => {
  it.each(
    words("jane@example.com o'brien+tag@mail.example.co.uk a.b-c_d@1x.example jürgen@müller.de JANE@EXAMPLE.COM"),
  )('is %s, with or without blanks around it', (email) => {
    expect([requireEmail(LABEL, email), requireEmail(LABEL, ` ${email}\n`)]).toEqual([email, email]);
    expect(requireEmails(LABEL, `${email} , ${email}`)).toEqual([email]);
    expect(isEmail(email)).toBe(true);
  });

  it.each([
    ...words(`
      nobody a@b a@ @example.com a@x..com a..b@example.com .a@example.com a.@example.com a@-example.com a@example-.com
      a@example.com. a@b@example.com mailto:jane@example.com`),
    ...['a b@example.com', 'Jane <jane@example.com>', `${'a'.repeat(320)}@example.com`],
  ])('is not %s, in any field', (email) => {
    expect(refusal(() => requireEmail(LABEL, email))).toMatch(/^is not an email address: /);
    expect(refusal(() => requireEmails(LABEL, [email]))).toMatch(/^has an entry that is not an email address: /);
    expect(isEmail(email)).toBe(false);
  });

  it.each([42, {}, ['jane@example.com']])('is not %p', (value) => {
    expect(refusal(() => requireEmail(LABEL, value))).toMatch(/^is not an email address: /);
  });

  it('is refused in time, however long the text is', () => {
    const started = performance.now();
    const endless = ['a.'.repeat(50_000), `a@${'a-'.repeat(50_000)}`, '-'.repeat(100_000)];
    expect(endless.filter(isEmail)).toEqual([]);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it.each(['', undefined, null])('may be left out when it is optional: %p', (value) => {
    expect(optionalEmail(LABEL, value)).toBeUndefined();
    expect(refusal(() => requireEmail(LABEL, value))).toBe('is empty');
  });
});

describe('a list of email addresses', () => {
  it.each([
    ['a@example.com,b@example.com'],
    [' a@example.com ;; b@example.com\n'],
    [['a@example.com', ' b@example.com ', '', 'a@example.com']],
  ])('is read from %p', (value) => {
    expect(requireEmails(LABEL, value)).toEqual(['a@example.com', 'b@example.com']);
  });

  it.each<[value: unknown, message: string]>([
    ...['', ' , ', [], ['', ' '], undefined, null].map((value): [unknown, string] => [value, 'is empty']),
    [42, 'has an entry that is not an email address: 42'],
    [{ a: 1 }, 'has an entry that is not an email address: {"a":1}'],
    [['a@example.com', null], 'has an entry that is not an email address: null'],
    [['x', 'a@example.com', 'y'], 'has entries that are not email addresses: x, y'],
  ])('is not %p, which %s', (value, message) => {
    expect(refusal(() => requireEmails(LABEL, value))).toBe(message);
  });
});

describe('true or false', () => {
  it.each([true, 1, 'true', 'TRUE', 'True', ' true ', '1', 'yes', 'Yes'])('%p is true', (value) => {
    expect(requireBoolean(LABEL, value)).toBe(true);
  });

  it.each([false, 0, 'false', 'FALSE', 'False', '0', 'no', 'No'])('%p is false', (value) => {
    expect(requireBoolean(LABEL, value)).toBe(false);
  });

  it.each([undefined, null, '', 2, -1, 'on', 'maybe', 'null', 'undefined', [true], {}])('%p is neither', (value) => {
    expect(refusal(() => requireBoolean(LABEL, value))).toMatch(/^is neither true nor false: /);
  });
});

describe('a number', () => {
  it.each([5, '5', ' 5 ', '+5', '5.0'])('is read from %p', (value) => {
    expect([requireWholeNumber(LABEL, value, { min: 1 }), requireNumber(LABEL, value)]).toEqual([5, 5]);
  });

  it.each([undefined, null, '', 'many', '1e3', '0x10', '5 items', true, [5], NaN, Infinity, {}])(
    'is not %p',
    (value) => {
      expect(refusal(() => requireWholeNumber(LABEL, value, { min: 1 }))).toMatch(/^is not a number: /);
      expect(refusal(() => requireNumber(LABEL, value))).toMatch(/^is not a number: /);
    },
  );

  it('is whole and within its range, or refused with the reason', () => {
    const within = (value: unknown) => requireWholeNumber(LABEL, value, { min: 1, max: 10 });
    expect([within(1), within(10)]).toEqual([1, 10]);
    expect(refusal(() => within(0))).toBe('is less than 1');
    expect(refusal(() => within(11))).toBe('is more than 10');
    expect(refusal(() => within('2.5'))).toBe('is not a whole number: 2.5');
  });

  it('may have to be more than a bound', () => {
    expect(requireNumber(LABEL, 0.5, 0)).toBe(0.5);
    expect(refusal(() => requireNumber(LABEL, 0, 0))).toBe('is not more than 0');
  });
});

describe('an option', () => {
  const read = (value: unknown) => requireOption(LABEL, value, ['active', 'v2']);

  it.each(['active', 'ACTIVE', ' Active '])('is known as %p', (value) => {
    expect(read(value)).toBe('active');
  });

  it.each(['', 'other', ['active'], { value: 'active' }, undefined, null, 1])('is not %p', (value) => {
    expect(refusal(() => read(value))).toMatch(/^is not one of its options: /);
  });
});

describe('an ID', () => {
  const id = '2d1f0c4e-8b7a-4c39-9a53-3c8f5b1e7d20';
  const other = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';

  it.each([
    [id, id],
    [` ${id}\n`, id],
    [{ __rl: true, mode: 'id', value: `https://acme.neetoform.com/forms/${id}` }, id],
    [{ __rl: true, mode: 'url', value: id }, id],
    [{ mode: 'list', value: id }, id],
    [42, '42'],
  ])('is read from %p', (value, read) => {
    expect(requireId(LABEL, value, 'form')).toBe(read);
  });

  it.each(
    words(`
      https://acme.neetoform.com/${id} https://acme.neetoform.com/forms/${id}#x http://127.0.0.1:4010/forms/${id}/attempt
      https://acme.neetoform.com/admin/forms/${id}/submissions?page=2#top
      https://acme.neetoform.com/forms/${id}/submissions/${other} https://acme.neetoform.com/forms/${id}?next=/${other}`),
  )('is found in the address %s', (address) => {
    expect(requireId(LABEL, address, 'form')).toBe(id);
  });

  it.each(
    words(`
      https://acme.neetoform.com https://acme.neetoform.com/contact-us https://acme.neetoform.com/forms/${id}b
      https://acme.neetoform.com/forms/2d1f0c4e-8b7a-4c39-9a53 https://acme.neetoform.com/?form=${id}
      https://${id}.example.com/x`),
  )('is not in the address %s', (address) => {
    expect(refusal(() => requireId(LABEL, address, 'form'))).toBe('is an address from which no ID can be read');
  });

  it.each<[value: unknown, message: string]>([
    [{ __rl: true, mode: 'url', value: undefined }, 'is empty'],
    [{ __rl: true, mode: 'url', value: null }, 'is empty'],
    [undefined, 'is empty'],
    ['', 'is empty'],
    ...['.', '..', ' .. ', true, {}, ['x'], '\ud800', 'x\udc00'].map((id): [unknown, string] => [id, 'is not an ID']),
    ...['   ', '\t\n', '\u00a0\u3000', null].map((id): [unknown, string] => [id, 'is empty']),
    [NaN, 'is not an ID'],
    [1.5, 'is not an ID'],
  ])('is not %j', (value, message) => {
    expect(refusal(() => requireId(LABEL, value, 'form'))).toBe(message);
  });
});

it('a date is read in the time zone of the workflow, or refused', () => {
  expect(requireDate(LABEL, '2026-02-09T08:30:00', 'Asia/Tokyo')).toBe(Date.parse('2026-02-08T23:30:00Z'));
  for (const value of ['', 'yesterday', null])
    expect(refusal(() => requireDate(LABEL, value, 'UTC'))).toMatch(/^is not a date: /);
});

it('a time zone is one of its names, or refused', () => {
  for (const name of ['Europe/Berlin', 'UTC', ' Asia/Kolkata ']) expect(requireTimeZone(LABEL, name)).toBe(name.trim());
  for (const name of ['Berlin', 'Mars/Olympus'])
    expect(refusal(() => requireTimeZone(LABEL, name))).toBe(`is not known: ${name}`);
});

describe('a list of texts', () => {
  it.each<[value: unknown, texts: string[]]>([
    ['a, b ,a', ['a', 'b']],
    [['a', ' b ', 7], words('a b 7')],
    ['', []],
    [undefined, []],
    [[], []],
  ])('is read from %p', (value, texts) => {
    expect(listOfTexts(LABEL, value)).toEqual(texts);
  });

  it('holds nothing but texts', () => {
    expect(refusal(() => listOfTexts(LABEL, ['a', {}]))).toBe('is not a text: {}');
    expect(refusal(() => listOfTexts(LABEL, true))).toBe('is not a text: true');
  });
});
