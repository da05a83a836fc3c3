import { Pool } from 'undici';

import type { ServiceAddress } from '../process/service.ts';
import { type Contender, PAGE_SIZE, type SubmissionPage, submissionsUrl } from './contender.ts';

/** As many requests at once as this package's node allows itself. */
const CONCURRENCY = 4;

/** The limit: the fastest client there is for Node, connections kept open, and nothing done with the rows. */
export function bareClient(service: ServiceAddress): Contender {
  const pool = new Pool(service.url, { connections: CONCURRENCY, pipelining: 1 });
  const headers = { 'x-api-key': service.apiKey, accept: 'application/json' };

  const read = async (formId: string, page: number): Promise<SubmissionPage> => {
    const { pathname } = new URL(submissionsUrl(service, formId));
    const { body } = await pool.request({
      method: 'GET',
      path: `${pathname}?page=${page}&page_size=${PAGE_SIZE}`,
      headers,
    });
    return (await body.json()) as SubmissionPage;
  };

  return {
    async fetchAll(formId) {
      const first = await read(formId, 1);
      const pages: unknown[][] = [first.submissions];
      let next = 2;
      const lane = async (): Promise<void> => {
        while (next <= first.pagination.total_pages) {
          const page = next++;
          pages[page - 1] = (await read(formId, page)).submissions;
        }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, lane));
      return pages.flat();
    },
    count: (rows) => (rows as unknown[]).length,
  };
}
