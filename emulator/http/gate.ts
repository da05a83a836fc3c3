import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from './answers.ts';

/** Lets only requests with the workspace's key pass. */
export function requireKey(apiKey: string) {
  return async (request: FastifyRequest, _reply: FastifyReply): Promise<void> => {
    if (request.headers['x-api-key'] !== apiKey) {
      throw new ServiceError(401, 'Could not authenticate, invalid API Key');
    }
  };
}

/** Lets only requests pass that ask for JSON by name; a wildcard does not name it. */
export async function requireJsonAccepted(request: FastifyRequest, _reply: FastifyReply): Promise<void> {
  const types = (request.headers.accept ?? '').split(',').map((type) => type.split(';')[0]?.trim().toLowerCase());
  if (!types.includes('application/json')) throw new ServiceError(406, 'Accept header must be application/json');
}
