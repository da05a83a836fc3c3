import { isRecord, textOf } from '../json';
import { uniqueNames, type UniqueNames } from './uniqueNames';

/** A question. The form and each answer to the question describe it, with the same `slug`. */
export interface Question {
  slug: string;
  label: string;
  position: number;
  kind: string;
}

export interface FormDetails {
  title: string | null;
  questions: Question[];
}

/** Reads the title and questions of a form. */
export function parseFormDetails(form: Record<string, unknown>): FormDetails {
  const { title, questions } = form;
  const uniqueSlug = uniqueNames();
  const records = Array.isArray(questions) ? questions.filter(isRecord) : [];
  return {
    title: typeof title === 'string' ? title : null,
    questions: records.map((record, index) => parseQuestion(record, index, uniqueSlug)),
  };
}

/** Reads a question from a form or from an answer. Without a slug, its label or its number becomes the slug. */
export function parseQuestion(record: Record<string, unknown>, index: number, uniqueSlug: UniqueNames): Question {
  const label = textOf(record.label);
  return {
    slug: uniqueSlug(textOf(record.slug) || label || `question-${index + 1}`),
    label,
    position: typeof record.position === 'number' ? record.position : index + 1,
    kind: textOf(record.kind),
  };
}
