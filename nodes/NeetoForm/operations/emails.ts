import { NodeOperationError } from 'n8n-workflow';
import { toText } from '../json';
import type { Call, Prepare } from './operation';
import { valueInBody } from './required';

const EMAIL = /^[^\s@,;<>()"]+@[^\s@,;<>()"]+\.[^\s@,;<>()".]+$/;

/**
 * Puts the addresses of the field `emails` into the body. Every address is checked before anything is sent: adding is all or
 * nothing (`neetoform-facts.md`, "Values").
 */
export const emailsIntoBody: Prepare = (call) => {
  const { context } = call;
  const emails = emailsOf(context.getNodeParameter('emails', ''));
  if (emails.length === 0) {
    throw new NodeOperationError(context.getNode(), "'Emails' is empty", {
      description: 'Enter at least one email address, several separated by commas.',
    });
  }
  assertEmails(call, 'Emails', emails);
  call.body.emails = emails;
};

/** Checks a single optional address that the routes have put into the body. Throws NodeOperationError when it is none. */
export function emailInBody(path: string, label: string): Prepare {
  return (call) => {
    const value = valueInBody(call, path);
    if (value !== undefined) assertEmails(call, label, [toText(value)]);
  };
}

/** Comma-separated text, or the list an expression gives. What is no text is spelled out, to be refused by name. */
function emailsOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value.map(spell) : spell(value ?? '').split(/[,;\n]/);
  return [...new Set(list.map((email) => email.trim()).filter((email) => email !== ''))];
}

function assertEmails({ context }: Call, label: string, emails: string[]): void {
  const wrong = emails.filter((email) => !EMAIL.test(email));
  if (wrong.length === 0) return;
  throw new NodeOperationError(
    context.getNode(),
    `'${label}' has ${wrong.length === 1 ? 'an entry that is not an email address' : 'entries that are not email addresses'}: ${wrong.join(', ')}`,
    {
      description: 'Nothing was sent. Correct the address, for example jane@example.com, and run the node again.',
    },
  );
}

function spell(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
