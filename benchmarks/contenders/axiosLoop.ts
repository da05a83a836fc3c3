import axios from 'axios';

import type { ServiceAddress } from '../process/service.ts';
import { type Contender, PAGE_SIZE, type SubmissionPage, submissionsUrl } from './contender.ts';

/** What a programmer writes first: one page after another. */
export function axiosLoop(service: ServiceAddress): Contender {
  const headers = { 'X-Api-Key': service.apiKey };
  return {
    async fetchAll(formId) {
      const rows: unknown[] = [];
      for (let page = 1, pages = 1; page <= pages; page += 1) {
        const { data } = await axios.get<SubmissionPage>(submissionsUrl(service, formId), {
          headers,
          params: { page, page_size: PAGE_SIZE },
        });
        rows.push(...data.submissions);
        pages = data.pagination.total_pages;
      }
      return rows;
    },
    count: (rows) => (rows as unknown[]).length,
  };
}
