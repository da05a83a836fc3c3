import type { ServiceAddress } from '../process/service.ts';

/** The contenders, in the order of the tables. `ours` is this package's node. */
export const contenderNames = ['ours', 'http100', 'httpDefault', 'axios', 'bare'] as const;

/** Who fetches all submissions of a form. */
export type ContenderName = (typeof contenderNames)[number];

/** Fetches every submission of a form and gives what it would hand on; whatever it gives is counted only after the time is taken. */
export interface Contender {
  fetchAll(formId: string): Promise<unknown>;
  /** How many submissions there are in what `fetchAll` gave. */
  count(result: unknown): number;
}

/** Makes a contender for one service. */
export type ContenderMaker = (service: ServiceAddress) => Contender | Promise<Contender>;

/** How many submissions all that ask for a page size ask for: the service's greatest. */
export const PAGE_SIZE = 100;

/** What n8n's credential holds. */
export function credentialOf({ url, apiKey }: ServiceAddress): { subdomain: string; apiKey: string; baseUrl: string } {
  return { subdomain: 'acme', apiKey, baseUrl: url };
}

/** Where a form's submissions are, without the query. */
export function submissionsUrl({ url }: ServiceAddress, formId: string): string {
  return `${url}/api/external/v2/forms/${formId}/submissions`;
}

/** One page of submissions, as the service sends it. */
export interface SubmissionPage {
  submissions: unknown[];
  pagination: { total_pages: number };
}
