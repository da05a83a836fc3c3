import type { FastifyReply, FastifyRequest } from 'fastify';

/** A refusal, with the status and the text that the service answers with. */
export class ServiceError extends Error {
  readonly statusCode: number;

  constructor(statusCode: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.statusCode = statusCode;
  }
}

/** Answers a path that leads nowhere: a page for people, as a web framework sends it, not JSON. */
export function sendNoSuchPage(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .code(404)
    .type('text/html; charset=utf-8')
    .send(
      '<!DOCTYPE html><html lang="en"><head><title>The page you were looking for doesn\'t exist (404)</title></head>' +
        "<body><h1>The page you were looking for doesn't exist.</h1></body></html>",
    );
}

/** Answers a refusal or a failure as the service does: `{ error }`. */
export function sendError(error: unknown, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  const message = error instanceof Error ? error.message : String(error);
  return reply.code(status).send({ error: message });
}
