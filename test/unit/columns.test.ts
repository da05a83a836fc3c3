import fc from 'fast-check';

import { hasGaps, nameColumns, objectOf, type Asked } from '../../nodes/NeetoForm/submissions/columns';
import { keeper, needsQuestions } from '../../nodes/NeetoForm/submissions/keep';
import { present } from '../../nodes/NeetoForm/submissions/present';
import type { Presentation } from '../../nodes/NeetoForm/submissions/presentation';
import { flatten } from '../../nodes/NeetoForm/submissions/value';

const label = fc.oneof(
  fc.constantFrom('Name', 'Name (2)', 'Name (3)', '__proto__', '__proto__ (2)', 'constructor', '', '  ', 'a.b', '1'),
  fc.string({ maxLength: 5 }),
);

/** The questions of a form: as many slugs, positions from 1. */
const questions = fc
  .tuple(
    fc.uniqueArray(
      fc.oneof(
        fc.constantFrom('name', 'name-2', '__proto__', 'constructor'),
        fc.string({ minLength: 1, maxLength: 5 }),
      ),
      { maxLength: 8 },
    ),
    fc.array(label, { minLength: 8, maxLength: 8 }),
  )
  .map(([slugs, labels]) =>
    slugs.map((slug, index): Asked => ({ slug, label: labels[index] ?? '', position: index + 1 })),
  );

const keys = fc.constantFrom<Array<'label' | 'slug'>>('label', 'slug');

const submissionOf = (answered: Asked[]) => ({
  id: 'x',
  responses: answered.map(({ slug, label: given, position }) => ({
    slug,
    label: given,
    position,
    value: `answer to ${slug}`,
  })),
});

describe('the names of columns', () => {
  it('are there for every question, each once, and none changes what an object is', () => {
    fc.assert(
      fc.property(questions, keys, (asked, key) => {
        const columns = nameColumns(asked, key);
        expect([...columns.keys()].sort()).toEqual(asked.map(({ slug }) => slug).sort());
        expect(new Set(columns.values()).size).toBe(asked.length);
        expect([...columns.values()]).not.toContain('__proto__');
      }),
    );
  });

  it('do not depend on the order in which the questions come', () => {
    fc.assert(
      fc.property(
        questions.chain((asked) =>
          fc.tuple(fc.constant(asked), fc.shuffledSubarray(asked, { minLength: asked.length })),
        ),
        keys,
        ([asked, mixed], key) => {
          expect(new Map([...nameColumns(mixed, key)].sort())).toEqual(new Map([...nameColumns(asked, key)].sort()));
        },
      ),
    );
  });

  it('are the labels, where these differ', () => {
    const asked = ['Name', 'Age', 'a.b'].map((text, index) => ({ slug: `s${index}`, label: text, position: index }));
    expect([...nameColumns(asked, 'label').values()]).toEqual(['Name', 'Age', 'a.b']);
  });

  it('stay the same when questions are added at the end of the form', () => {
    fc.assert(
      fc.property(questions, keys, fc.nat(8), (asked, key, count) => {
        const before = nameColumns(asked.slice(0, count), key);
        const after = nameColumns(asked, key);
        for (const [slug, column] of before) expect(after.get(slug)).toBe(column);
      }),
    );
  });
});

describe('the answers of a submission', () => {
  const presentation = (answerKey: 'label' | 'slug'): Presentation => ({
    output: 'answers',
    answerKey,
    includeSkipped: false,
    downloadFiles: false,
  });

  it('are all there, none overwritten', () => {
    fc.assert(
      fc.property(
        questions.chain((asked) => fc.tuple(fc.constant(asked), fc.subarray(asked))),
        keys,
        ([asked, answered], key) => {
          const [item = {}] = present(
            [submissionOf(answered)].map(keeper(presentation(key))),
            'form',
            presentation(key),
            asked,
          );
          expect(Object.values(item).sort()).toEqual(answered.map(({ slug }) => `answer to ${slug}`).sort());
          expect(Object.getPrototypeOf(item)).toBe(Object.prototype);
        },
      ),
    );
  });

  it('have the same names whichever submissions come together, for at most one look at the form', () => {
    fc.assert(
      fc.property(
        questions.chain((asked) =>
          fc.tuple(fc.constant(asked), fc.array(fc.subarray(asked), { minLength: 1, maxLength: 4 })),
        ),
        keys,
        ([asked, answeredByEach], key) => {
          // The names that the form gives: what every item has to agree with.
          const named = nameColumns(asked, key);
          const kept = answeredByEach.map(submissionOf).map(keeper(presentation(key)));
          const known = needsQuestions(kept, presentation(key)) ? asked : [];
          const items = present(kept, 'form', presentation(key), known);
          items.forEach((item, index) => {
            expect(Object.keys(item).sort()).toEqual(
              (answeredByEach[index] ?? []).map(({ slug }) => named.get(slug)).sort(),
            );
          });
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('gaps', () => {
  it.each([
    [[], false],
    [[1], false],
    [[0], false],
    [[0, 1, 2], false],
    [[1, 2, 3], false],
    [[3, 1, 2], false],
    [[2], true],
    [[1, 3], true],
    [[0, 2], true],
  ])('in the positions %j: %p', (positions, gaps) => {
    expect(hasGaps(positions.map((position) => ({ slug: String(position), label: '', position })))).toBe(gaps);
  });
});

describe('an object of named values', () => {
  it('has every value, whatever the names', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(label, fc.nat()), { maxLength: 8 }), (named) => {
        const made = objectOf(named);
        // Names that read like numbers come first in an object: only the values count.
        expect(Object.values(made).sort()).toEqual(named.map(([, value]) => value).sort());
        expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
      }),
    );
  });
});

describe('a flattened value', () => {
  it('can be stored as JSON, and text is kept to the letter unless it holds files', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const flat = flatten(value);
        expect(JSON.parse(JSON.stringify(flat))).toEqual(JSON.parse(JSON.stringify(flat)));
        if (typeof value === 'string' && !value.includes('url')) expect(flat).toBe(value);
      }),
    );
  });

  it('of a shape that is not known is the value itself', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().filter((name) => !['files', 'address', 'country_name'].includes(name)),
          fc.jsonValue(),
        ),
        (value) => {
          expect(flatten(value)).toBe(value);
        },
      ),
    );
  });
});
