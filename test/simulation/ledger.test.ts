import { DAY, MINUTE } from '../trigger/outcome';
import { Ledger } from './ledger';
import type { Form, Row } from './service';

// The simulation finds nothing that its ledger does not see.

const NOW = Date.UTC(2026, 2, 1, 12);

let form: Form;
let ledger: Ledger;

function addForm(): Form {
  return { id: `form`, created: NOW - 30 * DAY, isArchived: false, rows: [] };
}

/** Adds a submission that was created at a time and is visible since then, or since a later one. */
function add(created: number, since = created, to = form): Row {
  const row = { id: `row-${to.rows.length}`, form: to, created, since };
  to.rows.push(row);
  return row;
}

beforeEach(() => {
  form = addForm();
  ledger = new Ledger();
  add(NOW - MINUTE);
  ledger.start(form, -Infinity, NOW);
});

it('misses what appeared and was not delivered, and nothing else', () => {
  const [first, second] = [add(NOW + 1), add(NOW + 2)];
  expect(ledger.missing).toEqual([first, second]);
  ledger.deliver([first]);
  expect(ledger.missing).toEqual([second]);
  ledger.deliver([second]);
  expect(ledger.missing).toEqual([]);
});

it('misses a late finisher of a week, but not a later one', () => {
  const late = add(NOW - 6 * DAY, NOW + DAY - 1);
  add(NOW - 6 * DAY, NOW + DAY);
  expect(ledger.missing).toEqual([late]);
});

it('misses nothing that was created when the first poll looked or before', () => {
  ledger.start(form, NOW + 5, NOW);
  add(NOW + 5);
  expect(ledger.missing).toEqual([]);
  expect(ledger.tally).toEqual({ rows: 2, open: 1 });
  const owed = add(NOW + 6);
  expect(ledger.missing).toEqual([owed]);
});

it('misses what is visible only: no submission that was deleted, and none of an archived form', () => {
  const row = add(NOW + 1);
  form.isArchived = true;
  expect(ledger.missing).toEqual([]);
  form.isArchived = false;
  expect(ledger.missing).toEqual([row]);
  form.rows.pop();
  expect(ledger.missing).toEqual([]);
});

it('refuses a submission that is delivered twice, in one poll or in two', () => {
  const [first, second] = [add(NOW + 1), add(NOW + 2)];
  ledger.deliver([first]);
  expect(() => ledger.deliver([first])).toThrow(`${first.id} is repeated`);
  expect(() => ledger.deliver([second, second])).toThrow(`${second.id} is repeated`);
});

it('lets n8n itself repeat a submission as often as it died, and lose one', () => {
  const [repeated, lost] = [add(NOW + 1), add(NOW + 2)];
  ledger.excuseRepetition([repeated]);
  ledger.deliver([repeated]);
  ledger.deliver([repeated]);
  expect(() => ledger.deliver([repeated])).toThrow(`${repeated.id} is repeated`);
  ledger.excuseLoss([lost]);
  expect(ledger.missing).toEqual([]);
  expect(ledger.tally).toEqual({ rows: 3, open: 0 });
});

it('refuses a submission of the past, but not one that appeared while the trigger began to watch', () => {
  const [past] = form.rows;
  if (past === undefined) throw new Error('There is one');
  expect(() => ledger.deliver([past])).toThrow(`${past.id} is of the past`);
  const open = add(NOW - MINUTE, NOW + 1);
  ledger.start(form, NOW, NOW);
  expect(ledger.tally).toEqual({ rows: 2, open: 1 });
  ledger.deliver([open]);
  expect(() => ledger.deliver([open])).toThrow(`${open.id} is repeated`);
});

it('begins anew when a form is watched again', () => {
  const row = add(NOW + 1);
  ledger.deliver([row]);
  ledger.watched.delete(form);
  expect(() => ledger.deliver([row])).toThrow(`${form.id} is not watched`);
  ledger.start(form, NOW, NOW);
  ledger.deliver([row]);
});

it('refuses a submission that is emitted after a newer one of its form', () => {
  const other = addForm();
  ledger.start(other, -Infinity, NOW);
  const [older, newer, elsewhere] = [add(NOW + 1), add(NOW + 2), add(NOW, NOW, other)];
  expect(() => ledger.deliver([newer, elsewhere, older])).toThrow(`${older.id} is emitted after a newer one`);
});

it('takes submissions of several forms in any order, oldest first in each', () => {
  const other = addForm();
  ledger.start(other, -Infinity, NOW);
  ledger.deliver([add(NOW + 1), add(NOW, NOW, other), add(NOW + 2), add(NOW + 2)]);
  expect(ledger.missing).toEqual([]);
});
