import { WINDOW_MS } from '../../nodes/NeetoForm/polling/batch';
import { dueForms } from '../../nodes/NeetoForm/polling/due';
import { LOOK_MS, nextLookedAt } from '../../nodes/NeetoForm/polling/lateFinishers';
import { isNewForm, type FormList, type ListedForm } from '../../nodes/NeetoForm/polling/forms';
import { nextPosition } from '../../nodes/NeetoForm/polling/serve';
import type { FormState } from '../../nodes/NeetoForm/polling/state';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 2, 2, 12);

/** @param known how many submissions are known @param sinceMs in which they were created, evenly */
const form = (more: Partial<FormState> = {}, known = 0, sinceMs = WINDOW_MS): FormState => {
  const ids = Array.from({ length: known }, (_, index): [string, number] => {
    return [`${index}`, NOW - sinceMs + (index * sinceMs) / known];
  });
  return {
    cursor: { from: 0, recent: 0, look: 0, known: new Map(ids) },
    count: 5,
    lookedAt: NOW,
    ...more,
  };
};
/** Submissions in two hours fill a window. */
const busy = form({}, 2_000, 120 * MINUTE);
const listOf = (count: number | undefined) => ({
  forms: new Map([['form', { count, isArchived: false, createdMs: 0 }]]),
  readAt: NOW,
});
const dueOf = (state: FormState, count: number | undefined, now: number) => {
  const [due] = dueForms(new Map([['form', state]]), listOf(count), now);
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
    ['with a page of a longer window, and quickly', form({}, 250), 5, NOW + LOOK_MS, [true, 1]],
    ['with as many pages of it as the time is worth', form({}, 350), 5, NOW + 3 * LOOK_MS, [true, 3]],
    ['with more pages of the window of a busy form', busy, 5, NOW + LOOK_MS, [true, 10]],
    ['with its window when n8n did not store the last look', form({ lookedAt: undefined }), 5, NOW, [false, Infinity]],
    ['with its window when the clock was set back', form(), 5, NOW - 1, [false, Infinity]],
  ])('%s', (_, state, count, now, due) => {
    expect(dueOf(state, count, now)).toEqual(due);
  });

  it('always, where no list was read', () => {
    expect(dueForms(new Map([['form', form()]]), undefined, NOW)).toMatchObject([{ isQuickDue: true }]);
  });
});

it('the looks of forms stay spread, however late a poll is', () => {
  const next = (elapsed: number) => nextLookedAt(form(), NOW + elapsed) - NOW;
  expect([next(LOOK_MS), next(LOOK_MS + 1), next(3 * LOOK_MS + 7)]).toEqual([LOOK_MS, LOOK_MS, 3 * LOOK_MS]);
  expect([nextLookedAt(form({ lookedAt: undefined }), NOW), nextLookedAt(form(), NOW - 5)]).toEqual([NOW, NOW - 5]);
});

it('those with news come first, from where the last poll stopped, then windows, the one that waited longest first', () => {
  const forms = new Map([
    ['a', form({ count: 1 })],
    ['b', form({ lookedAt: NOW - LOOK_MS })],
    ['c', form({ count: 1 })],
    ['d', form({ lookedAt: NOW - 2 * LOOK_MS })],
    ['e', form({ count: undefined })],
  ]);
  const listed = new Map([...forms.keys()].map((formId) => [formId, { count: 5, isArchived: false, createdMs: 0 }]));
  const order = (position?: string) =>
    dueForms(forms, { forms: listed, readAt: NOW }, NOW, position)
      .map(({ formId }) => formId)
      .join('');
  expect([order(), order('b'), order('e')]).toEqual(['acedb', 'ceadb', 'eacdb']);
});

describe('a form that the list', () => {
  const list = (isArchived: boolean, readAt = NOW) => ({
    forms: new Map([['form', { count: 5, isArchived, createdMs: 0 }]]),
    readAt,
  });
  const isRead = (state: FormState, listed: FormList) => dueForms(new Map([['form', state]]), listed, NOW).length > 0;

  it('lacks is not read', () => {
    const lacking = { forms: new Map<string, ListedForm>(), readAt: NOW };
    expect(isRead(form({ missingSince: NOW, count: undefined }), lacking)).toBe(false);
    expect(isRead(form({ count: undefined }), lacking)).toBe(true);
  });

  it('says to be archived rests a week later, once it was read to its end', () => {
    const archivedSince = NOW - WINDOW_MS;
    const lookedAt = undefined;
    expect(isRead(form({ archivedSince, lookedAt }), list(true))).toBe(false);
    expect(isRead(form({ archivedSince, count: undefined }), list(true))).toBe(true);
    expect(isRead(form({ archivedSince: archivedSince + 1, lookedAt }), list(true))).toBe(true);
  });

  it('shows as newer than all of the last list is new', () => {
    const created = (createdMs: number, newest?: number) => isNewForm({ createdMs }, newest);
    expect([created(NOW + 1, NOW), created(NOW, NOW), created(NOW + 1)]).toEqual([true, false, false]);
  });
});

describe('the next poll begins', () => {
  const due = ['a', 'b', 'c', 'd'].map((formId) => ({ formId, state: form(), isQuickDue: true, windowPages: 0 }));
  const begin = (missed: string[], { unread = '', hasMore = false } = {}) => {
    const read = due.filter(({ formId }) => !unread.includes(formId));
    const readings = read.map((each) => ({ ...each, rows: new Map(), until: Infinity }));
    const served = read.map(({ formId }) => {
      return { formId, items: [], next: form(), hasMore, missedShare: missed.includes(formId) };
    });
    return nextPosition(due, readings, served);
  };

  it.each<[where: string, position: string | undefined, expected: string | undefined]>([
    ['where it did when all were served', begin([]), undefined],
    ['with the next form when something waits', begin([], { hasMore: true }), 'b'],
    ['with the first form that missed its share', begin(['c', 'd']), 'c'],
    ['with the first form that it did not come to', begin(['d'], { unread: 'bc' }), 'b'],
    ['where it did when only the first form missed its share: it had its chance', begin(['a']), undefined],
  ])('%s', (_, position, expected) => {
    expect(position).toBe(expected);
  });
});
