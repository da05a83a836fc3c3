import { dueForms, LOOK_MS, lookedAt, positionAfter } from '../../nodes/NeetoForm/polling/due';
import { isNewForm, isResting, nextLife } from '../../nodes/NeetoForm/polling/forms';
import { WINDOW_MS } from '../../nodes/NeetoForm/polling/batch';
import type { FormState, Life } from '../../nodes/NeetoForm/polling/state';

const NOW = Date.UTC(2026, 2, 2, 12);

const form = (more: Partial<FormState> = {}, known = 0): FormState => {
  const ids = Array.from({ length: known }, (_, index): [string, number] => [`${index}`, NOW]);
  return {
    cursor: { from: 0, recent: 0, look: 0, known: new Map(ids) },
    life: { status: 'active' },
    count: 5,
    lookedAt: NOW,
    ...more,
  };
};
const listOf = (count: number | undefined) => ({
  forms: new Map([['form', { count, isArchived: false, createdMs: 0 }]]),
});
const dueOf = (state: FormState, count: number | undefined, now: number) => {
  const [due] = dueForms(new Map([['form', state]]), listOf(count), now, undefined);
  return due && [due.isQuickDue, due.windowPages];
};

describe('a form is read', () => {
  it.each<[when: string, state: FormState, count: number | undefined, now: number, due: unknown]>([
    ['not at all when nothing says that there is news', form(), 5, NOW, undefined],
    ['quickly when its count has changed', form(), 6, NOW, [true, 0]],
    ['quickly when the list does not tell its count', form(), undefined, NOW, [true, 0]],
    ['quickly when it was not read to its end', form({ count: undefined }), 5, NOW, [true, 0]],
    ['with its whole window when that is due', form(), 5, NOW + LOOK_MS, [false, Infinity]],
    ['not before its window is due, however long that is', form({}, 101), 5, NOW + LOOK_MS - 1, undefined],
    ['with a page of a longer window', form({}, 250), 5, NOW + LOOK_MS, [false, 1]],
    ['with as many pages of it as the time is worth', form({}, 350), 5, NOW + 3 * LOOK_MS, [false, 3]],
    ['with its window when n8n did not store the last look', form({ lookedAt: undefined }), 5, NOW, [false, Infinity]],
    ['with its window when the clock was set back', form(), 5, NOW - 1, [false, Infinity]],
    [
      'not while the list lacks it',
      form({ life: { status: 'missing', since: NOW }, count: undefined }),
      5,
      NOW,
      undefined,
    ],
  ])('%s', (_, state, count, now, due) => {
    expect(dueOf(state, count, now)).toEqual(due);
  });

  it('always, where no list was read', () => {
    expect(dueForms(new Map([['form', form()]]), undefined, NOW, undefined)).toMatchObject([{ isQuickDue: true }]);
  });
});

it('the looks of forms stay spread, however late a poll is', () => {
  const next = (elapsed: number) => lookedAt(form(), NOW + elapsed) - NOW;
  expect([next(LOOK_MS), next(LOOK_MS + 1), next(3 * LOOK_MS + 7)]).toEqual([LOOK_MS, LOOK_MS, 3 * LOOK_MS]);
  expect([lookedAt(form({ lookedAt: undefined }), NOW), lookedAt(form(), NOW - 5)]).toEqual([NOW, NOW - 5]);
});

describe('the next poll begins', () => {
  const due = ['a', 'b', 'c', 'd'].map((formId) => ({ formId, state: form(), isQuickDue: true, windowPages: 0 }));
  const first = (hadShare: string[]) => {
    const position = positionAfter(due, new Set(hadShare));
    const forms = new Map(due.map(({ formId }) => [formId, form({ count: undefined })]));
    return dueForms(forms, undefined, NOW, position)
      .map(({ formId }) => formId)
      .join('');
  };

  it.each<[where: string, hadShare: string[], order: string]>([
    ['with the next form when all got their shares', ['a', 'b', 'c', 'd'], 'bcda'],
    ['with the first form that got no share', ['a', 'b', 'd'], 'cdab'],
    ['with the second form when only the first had its chance', [], 'bcda'],
  ])('%s', (_, hadShare, order) => {
    expect(first(hadShare)).toBe(order);
  });

  it('where it was when nothing was due', () => {
    expect(positionAfter([], new Set())).toBeUndefined();
  });
});

describe('what becomes of a form', () => {
  const active = { status: 'active' } as const;
  const archived = { status: 'archived', since: NOW - 5 } as const;
  const missing = { status: 'missing', since: NOW - 5 } as const;
  const listed = { isArchived: false, createdMs: 0 };

  it.each<[what: string, life: Life, listed: typeof listed | undefined, next: Life | undefined]>([
    ['active: stays active', active, listed, active],
    ['archived now', active, { ...listed, isArchived: true }, { status: 'archived', since: NOW }],
    ['archived for a while: since then', archived, { ...listed, isArchived: true }, archived],
    ['restored', archived, listed, active],
    ['missing in the list now', active, undefined, { status: 'missing', since: NOW }],
    ['missing for a while: since then', missing, undefined, missing],
    ['missing for a week: forgotten', { status: 'missing', since: NOW - WINDOW_MS }, undefined, undefined],
    ['back in the list', missing, listed, active],
    ['back in the list, archived', missing, { ...listed, isArchived: true }, { status: 'archived', since: NOW }],
  ])('%s', (_, life, form, next) => {
    expect(nextLife(life, form, NOW)).toEqual(next);
  });

  it('an archived form rests a week later, once it was read to its end', () => {
    const since = NOW - WINDOW_MS;
    expect(isResting(form({ life: { status: 'archived', since } }), NOW)).toBe(true);
    expect(isResting(form({ life: { status: 'archived', since }, count: undefined }), NOW)).toBe(false);
    expect(isResting(form({ life: { status: 'archived', since: since + 1 } }), NOW)).toBe(false);
  });

  it('it is new when it was created since the last list', () => {
    const created = (createdMs: number, listedAt?: number) => isNewForm({ createdMs }, listedAt);
    expect([created(NOW + 1, NOW), created(NOW, NOW), created(NOW + 1)]).toEqual([true, false, false]);
  });
});
