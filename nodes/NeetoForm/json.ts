import type { IDataObject } from 'n8n-workflow';

/** Whether a value is an object, but neither null nor a list. */
export function isRecord(value: unknown): value is IDataObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An ID as a text: the service may give it as a text or a number. '' for anything else. */
export function idText(value: unknown): string {
  return typeof value === 'number' ? String(value) : textOf(value);
}

/** The value if it is a text, else ''. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The message of what was thrown. '' when it has none. */
export function messageOf(thrown: unknown): string {
  return isRecord(thrown) ? textOf(thrown.message) : '';
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** The value of a JSON text; the text itself when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
