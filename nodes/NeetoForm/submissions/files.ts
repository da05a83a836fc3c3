import { freeName, type Asked, type Columns } from './columns';
import { columnsOf, type Kept } from './keep';
import type { Presentation } from './presentation';
import type { FileAnswer } from './value';

/** A file in an answer, and what it is called in the item. */
export interface AnsweredFile extends FileAnswer {
  /** What its binary data is filed under: `Resume_1`. */
  key: string;
  /** The question, as the answers name it. */
  question: string;
}

/**
 * The files in the answers of each submission.
 *
 * @param questions of the form, when `needsQuestions` asked for them
 */
export function filesOf(kept: Kept[], presentation: Presentation, questions: Asked[] = []): AnsweredFile[][] {
  const columns = columnsOf(kept, presentation, questions);
  const keys = keysOf(columns);
  return kept.map(({ asked, files }) =>
    asked.flatMap(({ slug }, index) =>
      (files[index] ?? []).map((file, place) => ({
        key: `${keys.get(slug) ?? slug}_${place + 1}`,
        question: columns.get(slug) ?? slug,
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
