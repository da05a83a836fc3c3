import type { FastifyRequest } from 'fastify';
import { ServiceError } from './answers.ts';

const EMAIL = /^[^\s@,]+@[^\s@,]+\.[^\s@,]+$/;

/** The query of a request: text by name, the last one when a name comes twice. */
export function queryOf(request: FastifyRequest): Record<string, string> {
  const { url } = request.raw;
  const mark = url?.indexOf('?') ?? -1;
  return url === undefined || mark < 0 ? {} : parseQuery(url.slice(mark + 1));
}

/** Reads a query text. */
export function parseQuery(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

/** The JSON object in the body of a request; nothing or something else counts as an empty one. */
export function bodyOf(request: FastifyRequest): Record<string, unknown> {
  return isObject(request.body) ? request.body : {};
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a text is an e-mail address. */
export function isEmail(text: string): boolean {
  return EMAIL.test(text);
}

/**
 * A body field that must be text when it is there.
 * @returns undefined when the field is absent
 */
export function textField(body: Record<string, unknown>, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new ServiceError(422, `${name} must be a string`);
  return value;
}

/** The body field `emails`: at least one address, each of them valid. */
export function emailsField(body: Record<string, unknown>): string[] {
  const { emails } = body;
  if (!Array.isArray(emails) || emails.length === 0) throw new ServiceError(422, "Emails can't be blank");
  return emails.map((email: unknown) => {
    if (typeof email !== 'string' || !isEmail(email))
      throw new ServiceError(422, `${String(email)} is not a valid email`);
    return email;
  });
}
