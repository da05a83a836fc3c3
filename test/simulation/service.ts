import type { IDataObject, IHttpRequestOptions, IPollFunctions } from 'n8n-workflow';
import type { Fault, Setting } from './steps';
import type { VirtualTime } from '../support/virtualTime';

/** Times are in ms. */
export interface Row {
  id: string;
  form: Form;
  created: number;
  /** When it became visible last. */
  since: number;
}

export interface Form {
  id: string;
  created: number;
  isArchived: boolean;
  /** The submissions that are visible, in the order of their creation times. */
  rows: Row[];
}

const PATH = /^\/api\/external\/v2\/forms(?:\/([^/]+)\/submissions)?$/;

/** The service of a schedule, without a connection. It keeps to its documented interface. */
export class Service {
  readonly forms: Form[] = [];
  /** All submissions by ID, with those that were deleted and those of removed forms. */
  readonly rows = new Map<string, Row>();
  requests = 0;
  /** Called for each request, with its number in the poll. */
  onRequest: (number: number) => void = () => undefined;
  private fault: Fault | undefined;
  /** Whether rows of one time come in the opposite order in every other poll. */
  private isTurned = false;
  private made = 0;
  private readonly time: VirtualTime;
  private readonly setting: Setting;

  constructor(time: VirtualTime, setting: Setting) {
    this.time = time;
    this.setting = setting;
  }

  addForm(): Form {
    const form = { id: `form-${++this.made}`, created: this.time.now, isArchived: false, rows: [] };
    this.forms.push(form);
    return form;
  }

  addRow(form: Form, created: number): void {
    const row = { id: `row-${++this.made}`, form, created, since: NaN };
    this.rows.set(row.id, row);
    this.show(row);
  }

  /** Shows a submission that is new, or was deleted. */
  show(row: Row): void {
    row.since = this.time.now;
    const { rows } = row.form;
    rows.splice(rows.findLastIndex(({ created }) => created <= row.created) + 1, 0, row);
  }

  begin(fault?: Fault): void {
    Object.assign(this, { fault, requests: 0, onRequest: () => undefined, isTurned: !this.isTurned });
  }

  /** Gives a poll these requests instead of n8n's. */
  install({ helpers }: IPollFunctions): void {
    helpers.httpRequestWithAuthentication = async (_type, options) => await this.answer(options);
  }

  /** @returns or throws what n8n's request helper does */
  private async answer({ url, qs = {}, timeout, abortSignal }: IHttpRequestOptions): Promise<unknown> {
    const [, formId] = PATH.exec(url) ?? [];
    this.onRequest(++this.requests);
    const effect = this.effectOn(formId);
    // n8n's own timeout only notices that nothing arrives.
    const takes = effect === 'hangs' ? timeout : effect === 'drips' ? 90_000 : this.setting.latencyMs;
    await this.time.pass(takes ?? 300_000, abortSignal);
    if (effect === 'hangs') throw Object.assign(new Error('timeout exceeded'), { code: 'ECONNABORTED' });
    if (effect === 'reset') throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    const headers = { date: new Date(this.time.now).toUTCString(), 'retry-after': '120' };
    const form = this.forms.find(({ id }) => id === formId);
    const isUnknown = formId !== undefined && form === undefined;
    const statusCode = typeof effect === 'number' ? effect : isUnknown ? 404 : 200;
    const body = form ? this.submissions(form, qs) : this.page('forms', this.forms.map(this.formJson), qs);
    const text = effect === 'web page' ? '<html>Sign in</html>' : JSON.stringify(body);
    return { statusCode, headers, body: Buffer.from(text) };
  }

  private effectOn(formId = 'list'): Fault['effect'] | undefined {
    if (this.fault === undefined) return undefined;
    const { effect, from, times, only } = this.fault;
    const target = typeof only === 'number' ? this.forms[only % this.forms.length]?.id : only;
    const isMeant = this.requests >= from && this.requests < from + times && (target ?? formId) === formId;
    return isMeant ? effect : undefined;
  }

  private readonly formJson = ({ id, created, isArchived, rows }: Form): IDataObject => {
    const counted = rows.filter(({ since }) => since <= this.time.now - this.setting.countLagMs);
    const created_at = new Date(created).toISOString();
    return { id, title: id, submissions_count: counted.length, created_at, is_archived: isArchived };
  };

  private submissions({ rows }: Form, query: IDataObject): IDataObject {
    const { submitted_after: bound } = query;
    const after = typeof bound === 'string' ? Date.parse(bound) : 0;
    const found = rows.filter(({ created }) => created >= after);
    if (this.isTurned) found.reverse().sort((a, b) => a.created - b.created);
    return this.page('submissions', found.map(rowJson), query);
  }

  private page(key: string, all: IDataObject[], { order, page, page_size: wanted }: IDataObject): IDataObject {
    const page_size = Math.min(Number(wanted), this.setting.pageCap);
    const rows = order === 'desc' ? all.reverse() : all;
    const shown = rows.slice((Number(page) - 1) * page_size, Number(page) * page_size);
    const total_pages = Math.ceil(rows.length / page_size);
    const pagination = { total_records: rows.length, total_pages, current_page_number: page, page_size };
    return { [key]: shown, pagination, total_count: rows.length };
  }
}

function rowJson({ id, created }: Row): IDataObject {
  return { id, created_at: new Date(created).toISOString(), field_values: [], user_agent: {}, responses: [] };
}
