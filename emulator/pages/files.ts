import type { FastifyInstance } from 'fastify';
import type { Context } from '../http/operation.ts';
import { sendNotFound } from '../http/server.ts';
import type { StoredFile } from '../store/types.ts';

/** Keeps an uploaded file. @returns what an answer says about it */
export function keepFile({ workspace, url }: Context, upload: Omit<StoredFile, 'id'>): Record<'name' | 'url', string> {
  const { id, name } = workspace.addFile(upload);
  return { name, url: `${url}/files/${id}/${encodeURIComponent(name)}` };
}

/** Adds the addresses of uploaded files, which redirect to an object store. As with the real service, the address is the secret. */
export function addFiles(app: FastifyInstance, { workspace }: Context): void {
  app.get('/files/*', async ({ url }, reply) => reply.redirect(url.replace(/\/+files/, '/object-store')));

  app.get<{ Params: { fileId: string } }>('/object-store/:fileId/:name', async (request, reply) => {
    const file = workspace.files.get(request.params.fileId);
    if (!file) return sendNotFound(request, reply);
    // An uploaded page must not run as one of the emulator's own.
    return reply
      .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`)
      .header('x-content-type-options', 'nosniff')
      .type(file.type || 'application/octet-stream')
      .send(Buffer.from(file.data));
  });
}
