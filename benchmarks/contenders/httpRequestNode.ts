import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import type { Setup } from '../engine/nodeRun.ts';
import { runNode } from '../engine/nodeRun.ts';
import { credentialType, httpRequest } from '../engine/packages.ts';
import type { ServiceAddress } from '../process/service.ts';
import { type Contender, PAGE_SIZE, type SubmissionPage, credentialOf, submissionsUrl } from './contender.ts';

/** n8n's HTTP Request node with its own pagination and this package's credential, at the page size that is asked for. */
export const httpRequestNode100 = (service: ServiceAddress): Contender => httpRequestNode(service, PAGE_SIZE);

/** The same without a page size: the service's default. */
export const httpRequestNodeDefault = (service: ServiceAddress): Contender => httpRequestNode(service);

/** What a user would enter to stop at the last page, without a request more than needed. */
const isLastPage = '={{ $response.body.pagination.current_page_number >= $response.body.pagination.total_pages }}';

function httpRequestNode(service: ServiceAddress, pageSize?: number): Contender {
  const type = httpRequest();
  return {
    async fetchAll(formId) {
      const setup: Setup = {
        type,
        from: 'n8n-nodes-base',
        parameters: parameters(submissionsUrl(service, formId), pageSize),
        credentialType: credentialType(),
        credential: credentialOf(service),
      };
      return await runNode(setup);
    },
    count: (items) =>
      (items as INodeExecutionData[]).reduce(
        (sum, { json }) => sum + (json as SubmissionPage & INodeExecutionData['json']).submissions.length,
        0,
      ),
  };
}

function parameters(url: string, pageSize: number | undefined): INodeParameters {
  return {
    method: 'GET',
    url,
    authentication: 'predefinedCredentialType',
    nodeCredentialType: 'neetoFormApi',
    ...(pageSize !== undefined && {
      sendQuery: true,
      queryParameters: { parameters: [{ name: 'page_size', value: String(pageSize) }] },
    }),
    options: {
      pagination: {
        pagination: {
          paginationMode: 'updateAParameterInEachRequest',
          parameters: { parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount + 1 }}' }] },
          paginationCompleteWhen: 'other',
          completeExpression: isLastPage,
          limitPagesFetched: false,
          requestInterval: 0,
        },
      },
    },
  };
}
