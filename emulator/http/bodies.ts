import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from './answers.ts';
import { readPostedForm } from './postedForm.ts';

/** Teaches the server to read JSON, an empty body included, and what HTML forms send. */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();

  app.addContentTypeParser<string>(
    'application/json',
    { parseAs: 'string' },
    async (_request: FastifyRequest, text: string) => {
      if (text === '') return undefined;
      try {
        return JSON.parse(text) as unknown;
      } catch (error) {
        if (error instanceof SyntaxError)
          throw new ServiceError(400, 'Error occurred while parsing request parameters');
        throw error;
      }
    },
  );

  app.addContentTypeParser<Buffer>(
    ['application/x-www-form-urlencoded', 'multipart/form-data'],
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => {
      try {
        return await readPostedForm(request.headers['content-type'] ?? '', bytes);
      } catch (error) {
        throw new ServiceError(400, 'The form data cannot be read', { cause: error });
      }
    },
  );

  app.addContentTypeParser<string>('*', { parseAs: 'string' }, async (_request: FastifyRequest, text: string) => {
    return text === '' ? undefined : text;
  });
}
