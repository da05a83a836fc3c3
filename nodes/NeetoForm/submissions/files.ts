import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../json';
import { freeName, type Asked, type Columns } from './columns';
import { columnsOf, responsesOf, type Presentation, type Response } from './present';
import { flatten } from './value';

/** A file in an answer. */
export interface AnsweredFile {
  /** What its binary data is filed under: `Resume_1`. */
  key: string;
  /** The question, as the answers name it. */
  question: string;
  /** '' when the answer does not say. */
  name: string;
  url: string;
}

/**
 * What the kind of a file question may read like, for kinds are not documented (`service-api.md`, "Question"). It decides on texts
 * only: any respondent can type what looks like a file into a question for text, but nobody can choose the question's kind. What is
 * not a text was put together by the service, whatever the kind.
 */
const FILE_KIND = /file|upload|attachment|signature/i;

/**
 * The files in the answers of each submission.
 *
 * @param questions of the form, when `needsQuestions` asked for them
 */
export function filesOf(submissions: IDataObject[], presentation: Presentation, questions: Asked[] = []): AnsweredFile[][] {
  const columns = columnsOf(submissions, presentation, questions);
  const names = keysOf(columns);
  return submissions.map((submission) =>
    responsesOf(submission).flatMap((response) =>
      filesIn(response).map((file, index) => ({
        key: `${names.get(response.slug) ?? response.slug}_${index + 1}`,
        question: columns.get(response.slug) ?? response.slug,
        ...file,
      })),
    ),
  );
}

/** The question's part of a key: letters of any script, digits, `_` and `-`, so that expressions need no escaping. */
function keysOf(columns: Columns): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  return new Map(
    [...columns].map(([slug, column]) => {
      const plain = column.replace(/[^\p{L}\p{M}\p{N}_-]+/gu, '_').replace(/^_+|_+$/g, '') || 'File';
      const key = freeName(plain, taken, (name, copy) => `${name}_${copy}`);
      taken.add(key);
      return [slug, key];
    }),
  );
}

function filesIn({ kind, value }: Response): Array<Pick<AnsweredFile, 'name' | 'url'>> {
  const isFileQuestion = FILE_KIND.test(kind);
  if (typeof value === 'string' && !isFileQuestion) return [];
  const flat: unknown = flatten(value);
  const entries: unknown[] = Array.isArray(flat) ? flat : [flat];
  return entries.flatMap((entry) => {
    if (isFileQuestion && typeof entry === 'string' && /^\s*https?:/i.test(entry)) return [{ name: '', url: entry }];
    return isRecord(entry) && typeof entry.name === 'string' && typeof entry.url === 'string' ? [{ name: entry.name, url: entry.url }] : [];
  });
}
