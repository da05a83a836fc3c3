import { Busboy } from '@fastify/busboy';

/** A file as a browser sends it. */
export interface UploadedFile {
  name: string;
  type: string;
  data: Uint8Array;
}

/** What an HTML form sent: texts and files by the name of their field, in the order in which they came. */
export class PostedForm {
  readonly fields: Array<[name: string, value: string | UploadedFile]> = [];

  /** The texts of a field. */
  texts(name: string): string[] {
    return this.values(name).filter((value) => typeof value === 'string');
  }

  /** The files of a field. */
  files(name: string): UploadedFile[] {
    return this.values(name).filter((value) => typeof value !== 'string');
  }

  private values(name: string): Array<string | UploadedFile> {
    return this.fields.filter(([field]) => field === name).map(([, value]) => value);
  }
}

/**
 * Reads the body of a posted HTML form; rejects when it is none.
 * @param contentType the Content-Type header: urlencoded or multipart
 */
export async function readPostedForm(contentType: string, bytes: Buffer): Promise<PostedForm> {
  return await new Promise((resolve, reject) => {
    const form = new PostedForm();
    const parser = new Busboy({ headers: { 'content-type': contentType }, preservePath: true });
    parser.on('field', (name, value) => form.fields.push([name, value]));
    parser.on('file', (field, stream, name, _encoding, type) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        // A browser sends a file without a name when none was chosen.
        if (name) form.fields.push([field, { name, type, data: Buffer.concat(chunks) }]);
      });
    });
    parser.on('error', reject);
    parser.on('finish', () => resolve(form));
    parser.end(bytes);
  });
}
