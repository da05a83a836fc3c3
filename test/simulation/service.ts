/** The simulated service: its forms, submissions and files, and its list of forms. */

import type { FaultEffect, Quirks } from '../../emulator/index.ts';
import { noQuirks } from '../../emulator/http/quirks.ts';
import { createRandom, type Random } from '../../emulator/random.ts';
import type { Scheduler } from '../support/engine';
import { LOOK, MINUTE, SECOND, type TriggerHarness } from '../trigger/harness';
import type { Form, Ledger, Row } from './ledger';

/** How a schedule begins. */
export interface Settings {
  triggerOn: 'one' | 'several' | 'allActive';
  /** How many forms there are at first. */
  forms: number;
  /** Decides the IDs of forms and submissions, and so the order of forms. */
  ids: number;
  scheduler: Scheduler;
  latencyMs: number;
  maxSubmissions: number;
  downloadFiles: boolean;
  /** Hours before the first publication that Start From names. */
  startFromHours?: number;
  quirks: Partial<Quirks>;
}

/** What becomes of a submission's file. Of the slow one, 5 s after 5 s another part of 20 arrives. */
const FILE_EFFECTS = {
  hangs: { hang: true },
  pauses: { drip: 1_000, everyMs: 15 * SECOND },
  'is slow': { drip: 1_000, everyMs: 5 * SECOND },
} satisfies Record<string, FaultEffect>;
const FILE_BYTES = 20_000;

export type FileKind = keyof typeof FILE_EFFECTS | 'arrives' | 'is missing';

export abstract class Service {
  readonly settings: Settings;
  readonly harness: TriggerHarness;
  readonly forms = new Map<string, Form>();
  readonly rows = new Map<string, Row>();
  abstract triggers: Array<{ ledger: Ledger }>;
  /** Also those that were deleted. */
  protected readonly everyForm: Form[] = [];
  private readonly random: Random;
  private readonly fileUrls = new Map<FileKind, string>();

  constructor(settings: Settings, harness: TriggerHarness) {
    this.settings = settings;
    this.harness = harness;
    this.random = createRandom(settings.ids);
    this.addToForms(this.random.uuid());
    while (this.forms.size < settings.forms) this.addToForms(this.createForm());
    if (settings.downloadFiles) this.addFiles();
    Object.assign(harness.emulator.quirks, settings.quirks);
  }

  get now(): number {
    return this.harness.now;
  }

  /** Places beyond the last begin again at the first. */
  formAt(place: number): string {
    return [...this.forms.keys()][place % this.forms.size] ?? '';
  }

  protected createForm(): string {
    return this.harness.emulator.workspace.addForm({ title: 'Another', id: this.random.uuid() }).id;
  }

  protected addFiles(): void {
    const { emulator, url } = this.harness;
    for (const kind of ['arrives', 'is missing', 'hangs', 'pauses', 'is slow'] as const) {
      const name = `${kind.replace(' ', '-')}.bin`;
      const { id } = emulator.workspace.addFile({ name, type: 'application/pdf', data: Buffer.alloc(FILE_BYTES, 'x') });
      this.fileUrls.set(kind, `${url}/object-store/${kind === 'is missing' ? 'none' : id}/${name}`);
    }
    for (const [kind, effect] of Object.entries(FILE_EFFECTS))
      emulator.fail({ when: { path: new RegExp(kind.replace(' ', '-')), times: Infinity }, with: effect });
  }

  /** Something happened that may delay what comes. */
  disturb(): void {
    for (const { ledger } of this.triggers) ledger.disturb(this.now);
  }

  addForm(): void {
    // The service tells its time to the second.
    this.harness.advance(SECOND);
    const id = this.createForm();
    this.addToForms(id, this.now);
    if (this.settings.triggerOn === 'allActive') for (const { ledger } of this.triggers) ledger.watchNew(id);
  }

  insert(formId: string, wanted: number, visibleAt: number, micros: number, file?: FileKind): void {
    const form = this.forms.get(formId);
    if (form === undefined) return;
    const created = Math.max(wanted, form.addedAt);
    const answer =
      file === undefined ? [] : [{ slug: 'file', kind: 'file_upload', value: this.fileUrls.get(file) ?? '' }];
    const id = this.random.uuid();
    this.harness.insert({ id, createdAt: created + micros / 1000, visibleAt, responses: answer }, formId);
    const row = { id, formId, created, since: visibleAt, hasSlowFile: file !== undefined && file in FILE_EFFECTS };
    this.rows.set(id, row);
    form.rows.push(row);
    if (form.isArchived) for (const { ledger } of this.triggers) ledger.blur(formId, [row]);
  }

  archive(formId: string, isArchived: boolean): void {
    this.harness.emulator.workspace.updateForm(formId, { isArchived });
    const form = this.forms.get(formId);
    // A form that was chosen is read all the same.
    if (form === undefined || this.settings.triggerOn !== 'allActive') return;
    form.isArchived = isArchived;
    if (!isArchived) for (const { ledger } of this.triggers) ledger.wake(formId);
    this.disturb();
  }

  deleteForm(formId: string): void {
    this.harness.emulator.workspace.deleteForm(formId);
    for (const row of this.forms.get(formId)?.rows ?? []) row.since = undefined;
    this.forms.delete(formId);
    for (const { ledger } of this.triggers) ledger.unwatch(formId);
  }

  /** The list of forms lacks these for a while. */
  hide(formIds: string[]): void {
    this.harness.inProcess.hiddenForms = new Set(formIds);
    for (const [id, form] of this.forms) form.isHidden = formIds.includes(id);
    this.disturb();
  }

  /** How many rows a full page may have; Infinity when all are on one. */
  protected get pageSize(): number {
    const { pageSizeCap, ignorePageSize, ignorePaging, noPagination } = this.harness.emulator.quirks;
    if (ignorePaging) return Infinity;
    // Without a size, a page of 30, the service's default, may be a full one.
    return ignorePageSize || noPagination ? Math.min(30, pageSizeCap) : pageSizeCap;
  }

  /** Polls a minute apart in which a window is seen to its end, an hour at least: a page in each `LOOK`. */
  get cyclePolls(): number {
    const rows = Math.max(0, ...[...this.forms.values()].map((form) => form.rows.length));
    return Math.max(60, (Math.ceil(rows / this.pageSize) + 1) * (LOOK / MINUTE));
  }

  /** Whether the service does as its description says, so that requests can be counted. */
  get isOrdinary(): boolean {
    const { fixedCounts: _counts, ...quirks } = this.harness.emulator.quirks;
    const { fixedCounts: _none, ...none } = noQuirks();
    const isBusy = [...this.forms.values()].some(({ rows }) => rows.length >= 100);
    return !isBusy && JSON.stringify(quirks) === JSON.stringify(none);
  }

  protected addToForms(id: string, addedAt = 0): void {
    const form = { rows: [], addedAt, deletedAt: 0, isArchived: false, isHidden: false };
    this.forms.set(id, form);
    this.everyForm.push(form);
  }
}
