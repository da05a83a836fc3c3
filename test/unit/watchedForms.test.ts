import { parseTime, type Page, type Row } from '../../nodes/NeetoForm/api/parse';
import type { FormState, TriggerState } from '../../nodes/NeetoForm/polling/triggerState';
import {
  dueForms,
  noteReads,
  watchedForms,
  type ListedForm,
  type ListSession,
} from '../../nodes/NeetoForm/polling/watchedForms';
import { placeholderNode } from '../support/engine/workflow';
import { words } from '../support/words';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 2, 1);
const SERVER_TIME = NOW + 5;

let now: number;
let triggers = 0;
let pages: Row[][];
let asked: number[];
let session: ListSession;

beforeEach(() => {
  [now, pages, asked] = [NOW, [[]], []];
  session = {
    // What polls found is kept in the process, by trigger.
    key: `trigger ${++triggers}`,
    isTimeUp: false,
    clock: { now: () => now, sleep: async () => await Promise.resolve(), timeout: () => new AbortController().signal },
    context: {
      getNode: () => placeholderNode(),
    },
    readForms: async (page): Promise<Page> => {
      asked.push(page);
      const rows = pages[page - 1] ?? [];
      const total = pages.flat().length;
      return await Promise.resolve({ rows, total, totalPages: pages.length, serverTime: SERVER_TIME + page });
    },
    parse: async (_subject, read) => await read(),
  };
});

const row = (id: string, { created_at: createdAt = '2026-02-01T00:00:00Z', ...data }: Row['data'] = {}): Row => ({
  id,
  createdMs: parseTime(createdAt),
  data,
});
const rows = (count: number) => Array.from({ length: count }, (_, index) => row(`form-${index}`));
const known = (more: Partial<FormState> = {}): FormState => ({ cursor: { watermark: 7, seenIds: new Map() }, ...more });
const stateOf = (forms: Record<string, FormState>): TriggerState => ({
  startedAt: NOW,
  forms: new Map(Object.entries(forms)),
});

const triggerOn = async (mode: 'one' | 'several' | 'allActive', formIds: string[], state?: TriggerState) => {
  const settings = { triggerOn: mode, formIds, maxSubmissions: 1, lookbackMs: 0 };
  const outputOptions = {
    output: 'raw',
    answerNames: 'label',
    includeSkippedQuestions: true,
    includeCustomColumns: false,
    addText: false,
    downloadFiles: false,
  } as const;
  return await watchedForms(session, { ...settings, outputOptions: { ...outputOptions, namesForm: true } }, state);
};

describe('All Active Forms', () => {
  const watchActive = async (form: Row | undefined, state: FormState | undefined) => {
    pages = [form === undefined ? [] : [form]];
    // As entries: a list with an undefined one equals an empty list.
    return [...(await triggerOn('allActive', [], stateOf(state ? { form: state } : {}))).forms];
  };
  const archived = { is_archived: true };
  const missed = known({ archivedAt: 1, isResting: true, isMissing: true, count: 3 });
  const afterStart = new Date(NOW + 1).toISOString();

  it.each<[what: string, form: Row | undefined, state: FormState | undefined, watched: Array<FormState | undefined>]>([
    ['an active one that is new', row('form'), undefined, [undefined]],
    ['an active one that is known, and forgets that it was archived', row('form'), missed, [known({ count: 3 })]],
    ['one that was archived meanwhile', row('form', archived), known(), [known({ archivedAt: SERVER_TIME + 1 })]],
    ['one that was archived before', row('form', archived), missed, [{ ...missed, isMissing: undefined }]],
    ['not one that was archived before the start', row('form', archived), undefined, []],
    [
      'one that was created and archived after the start',
      row('form', { ...archived, created_at: afterStart }),
      undefined,
      [undefined],
    ],
    ['one that the list lacks for the first time', undefined, known(), [known({ isMissing: true })]],
    ['not one that the list lacks again', undefined, missed, []],
  ])('watches %s', async (_, form, state, watched) => {
    expect(await watchActive(form, state)).toEqual(watched.map((each) => ['form', each]));
  });

  it('watches no archived form when it starts', async () => {
    pages = [[row('form', archived)]];
    expect((await triggerOn('allActive', [])).forms.size).toBe(0);
  });

  it('reads what the list says of each form, from every page', async () => {
    const id = '0C8F3A52-7D1E-4B86-9A40-2E8D6C1B7F93';
    pages = [rows(100), [row(id, { submissions_count: 3 }), row('odd', { submissions_count: '3', is_archived: 'no' })]];
    const { list } = await triggerOn('allActive', []);
    const createdMs = Date.UTC(2026, 1, 1);
    expect(list?.forms.size).toBe(102);
    expect(list?.forms.get(id.toLowerCase())).toEqual({ count: 3, isArchived: false, createdMs });
    expect(list?.forms.get('odd')).toEqual({ count: undefined, isArchived: false, createdMs });
    expect(list?.serverTime).toBe(SERVER_TIME + 1);
  });

  it('fails when the time of the poll is too short for the list', async () => {
    pages = [rows(100), [row('last')]];
    session = { ...session, isTimeUp: true };
    await expect(triggerOn('allActive', [])).rejects.toThrow('too slowly to read the list of forms within one poll');
    expect(asked).not.toContain(3);
  });
});

describe('chosen forms', () => {
  const state = stateOf({ a: known(), b: known() });

  it.each<[what: string, mode: 'one' | 'several', formIds: string, reads: boolean]>([
    ['of one form', 'one', 'a', false],
    ['of one form that is new', 'one', 'new', false],
    ['of two forms', 'several', 'a b', true],
    ['of a single one of several', 'several', 'a', false],
    ['of a single one of several that is new', 'several', 'new', true],
  ])('read the list if that takes fewer requests, or a form is new: %s', async (_, mode, formIds, reads) => {
    expect((await triggerOn(mode, words(formIds), state)).list !== undefined).toBe(reads);
    expect(asked.length > 0).toBe(reads);
  });

  it.each([
    [2, 'a b', false],
    [2, 'a new', true],
    [2, 'a b c', true],
    [1, 'a b', true],
  ])('remember that the list has %d pages, to read it for the forms %s: %j', async (count, formIds, reads) => {
    pages = [...Array.from({ length: count - 1 }, () => rows(100)), [row('last')]];
    const all = stateOf({ a: known(), b: known(), c: known() });
    await triggerOn('several', words('a b c d'), all);
    expect((await triggerOn('several', words(formIds), all)).list !== undefined).toBe(reads);
  });

  it('do not count the empty page that follows the last one without totals', async () => {
    pages = [[row('last')]];
    session = { ...session, readForms: async (page) => await Promise.resolve({ rows: pages[page - 1] ?? [] }) };
    const state = stateOf({ a: known(), b: known() });
    await triggerOn('several', words('a new'), state);
    expect((await triggerOn('several', words('a b'), state)).list).toBeDefined();
  });

  it('are what is known of them, whether archived or not', async () => {
    const { forms } = await triggerOn(
      'several',
      words('a new'),
      stateOf({ a: known({ archivedAt: 1, isResting: true }) }),
    );
    expect([...forms]).toEqual([
      ['a', known()],
      ['new', undefined],
    ]);
  });
});

describe('the forms that a poll reads', () => {
  const due = (
    forms: Record<string, FormState>,
    listed: Record<string, Partial<ListedForm>> | undefined,
    position?: string,
  ) => {
    const entries = Object.entries(listed ?? {}).map(([id, form]): [string, ListedForm] => {
      return [id, { isArchived: false, createdMs: 0, ...form }];
    });
    const list = listed && { forms: new Map(entries) };
    return dueForms(session, { forms: new Map(Object.entries(forms)), list }, position);
  };
  const quiet = known({ count: 3 });

  it.each<[what: string, form: FormState, listed: Record<string, Partial<ListedForm>> | undefined, isRead: boolean]>([
    ['a form with the number of submissions that it had', quiet, { form: { count: 3 } }, false],
    ['a form with another number', quiet, { form: { count: 2 } }, true],
    ['a form without a number', quiet, { form: {} }, true],
    ['a form that was not read to its end', known(), { form: {} }, true],
    ['an archived form until it rests', { ...quiet, archivedAt: 1 }, { form: { count: 3 } }, true],
    ['an archived form that rests', known({ archivedAt: 1, isResting: true }), { form: { count: 4 } }, false],
    ['a form that the list lacks', known({ isMissing: true }), {}, false],
    ['a chosen form that the list lacks', quiet, {}, true],
    ['a chosen form when the list was not read', quiet, undefined, true],
  ])('are chosen by what the list says: %s', (_, form, listed, isRead) => {
    expect(due({ form }, listed)).toEqual(isRead ? ['form'] : []);
  });

  it.each([
    [undefined, 'a b c d'],
    ['b', 'c d a b'],
    ['bb', 'c d a b'],
    ['d', 'a b c d'],
  ])('begin behind the form where the last poll stopped: %s', (position, order) => {
    expect(due({ c: known(), a: known(), d: known(), b: known() }, undefined, position)).toEqual(words(order));
  });

  it('are those that were due and failed, in the next poll again', () => {
    const forms = { bad: quiet, good: quiet };
    const listed = { bad: { count: 3 }, good: { count: 3 } };
    expect(due(forms, listed)).toEqual([]);
    now += 10 * MINUTE;
    expect(due(forms, listed)).toEqual(words('bad good'));
    noteReads(session, words('good'), { forms: new Map(Object.entries(forms)) });
    expect(due(forms, listed)).toEqual(['bad']);
  });

  it('are all forms within ten minutes after the clock was set back', () => {
    noteReads(session, ['form'], { forms: new Map([['form', quiet]]) });
    now -= 60 * MINUTE;
    expect(due({ form: quiet }, { form: { count: 3 } })).toEqual([]);
    now += 10 * MINUTE;
    expect(due({ form: quiet }, { form: { count: 3 } })).toEqual(['form']);
  });
});
