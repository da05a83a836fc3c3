import type { FastifyReply, FastifyRequest } from 'fastify';

/** A refusal, with the status and the message of the response. */
export class ServiceError extends Error {
  readonly statusCode: number;

  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

/** Sends the page for an unknown address: HTML, as a web framework sends it, not JSON. */
export function sendNotFound(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .code(404)
    .type('text/html; charset=utf-8')
    .send("<!DOCTYPE html><title>404</title><h1>The page you were looking for doesn't exist.</h1>");
}

/** Sends an error as the service does: `{ error }`. */
export function sendError(error: unknown, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  const message = error instanceof Error ? error.message : String(error);
  return reply.code(status).send({ error: message });
}
