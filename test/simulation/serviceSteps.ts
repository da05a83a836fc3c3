/** What happens at the service, to n8n's clock and to the credential. */

import { noQuirks } from '../../emulator/http/quirks.ts';
import type { Quirks } from '../../emulator/index.ts';
import { Event } from './step';
import type { FileKind } from './service';
import type { World } from './world';

export interface InsertDetails {
  form: number;
  count: number;
  /** ms before now that the last of them was created; below 0: dated ahead. */
  ageMs: number;
  /** ms between two of them. */
  stepMs: number;
  /** ms from now until they are visible. */
  hiddenMs: number;
  /** µs that the service keeps and does not show. */
  micros: number;
  file?: FileKind;
}

export class Insert extends Event<InsertDetails> {
  happen(world: World): void {
    const { form, count, ageMs, stepMs, hiddenMs, micros, file } = this.is;
    for (let index = 0; index < count; index++) {
      const created = world.now - ageMs - (count - 1 - index) * stepMs;
      world.insert(world.formAt(form), created, world.now + hiddenMs, micros, file);
    }
  }
}

/** One who opened the form a while ago, and takes minutes to days to send it. */
export class LateFinisher extends Event<{ form: number; agoMs: number; tookMs: number }> {
  happen(world: World): void {
    const { form, agoMs, tookMs } = this.is;
    const created = world.now - Math.min(agoMs, tookMs);
    world.insert(world.formAt(form), created, created + tookMs, 0);
  }
}

export class Delete extends Event<{ pick: number }> {
  happen(world: World): void {
    const rows = [...world.rows.values()].filter(({ since, formId }) => since !== undefined && world.forms.has(formId));
    const row = rows.at(-1 - (this.is.pick % Math.max(1, rows.length)));
    if (row === undefined) return;
    world.harness.emulator.workspace.log(row.formId).delete(row.id);
    row.since = undefined;
    const form = world.forms.get(row.formId);
    if (form !== undefined) form.deletedAt = world.now;
  }
}

export class Restore extends Event<{ pick: number }> {
  happen(world: World): void {
    const rows = [...world.rows.values()].filter(({ since, formId }) => since === undefined && world.forms.has(formId));
    const row = rows[this.is.pick % Math.max(1, rows.length)];
    if (row === undefined) return;
    const log = world.harness.emulator.workspace.log(row.formId);
    log.restore(row.id);
    row.since = Math.max(log.find(row.id)?.visibleAt ?? 0, world.now);
    if (world.forms.get(row.formId)?.isArchived === true)
      for (const { ledger } of world.triggers) ledger.blur(row.formId, [row]);
  }
}

export class Advance extends Event<{ ms: number }> {
  happen(world: World): void {
    world.harness.advance(this.is.ms);
  }
}

/** The clock of n8n's computer is set. */
export class SetClock extends Event<{ skewMs: number }> {
  happen(world: World): void {
    world.setClock(this.is.skewMs);
  }
}

/** The service takes to another habit. */
export class Habit extends Event<{ quirks: Partial<Quirks> }> {
  happen(world: World): void {
    const { quirks } = world.harness.emulator;
    const { fixedCounts, dateSkewMs, noDateHeader } = quirks;
    Object.assign(quirks, noQuirks(), { fixedCounts, dateSkewMs, noDateHeader }, this.is.quirks);
    world.disturb();
  }
}

/** The list of forms gives a wrong number of submissions of one. */
export class WrongCount extends Event<{ form: number; count: number }> {
  happen(world: World): void {
    const { quirks } = world.harness.emulator;
    quirks.fixedCounts = { ...quirks.fixedCounts, [world.formAt(this.is.form)]: this.is.count };
  }
}

export class AddForm extends Event<object> {
  happen(world: World): void {
    if (world.forms.size < 6) world.addForm();
  }
}

/** Only where no form was chosen: n8n refuses to publish a workflow with a chosen form that does not exist. */
export class DeleteForm extends Event<{ form: number }> {
  happen(world: World): void {
    const formId = world.formAt(this.is.form);
    if (world.settings.triggerOn === 'allActive' && formId !== world.harness.formId) world.deleteForm(formId);
  }
}

export class Archive extends Event<{ form: number; isArchived: boolean }> {
  happen(world: World): void {
    world.archive(world.formAt(this.is.form), this.is.isArchived);
  }
}

/** The user changes the address in the credential, and publishes nothing. */
export class ChangeAddress extends Event<object> {
  happen(world: World): void {
    world.changeAddress();
  }
}
