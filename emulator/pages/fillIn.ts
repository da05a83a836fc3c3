import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../http/operation.ts';
import { sendNotFound } from '../http/server.ts';
import type { Form, Json, Question } from '../store/types.ts';
import { fileUrl } from './files.ts';

/** The kinds of questions whose answer has parts, and the label of each part. */
const PARTS: Record<string, Record<string, string>> = {
  name: { first_name: 'First name', last_name: 'Last name' },
  phone: { country_name: 'Country', value: 'Number' },
  address: { street: 'Street address', city: 'City', country: 'Country' },
};

/** The kinds of questions that a browser has an input for. */
const INPUTS: Record<string, string> = {
  email: 'type="email"',
  date: 'type="date"',
  file_upload: 'type="file" multiple',
  star_rating: 'type="number" min="1" max="5"',
  opinion_scale: 'type="number" min="0" max="10"',
};

/** The hidden field that remembers when the page was opened, milliseconds since 1970 UTC. */
const OPENED = '_opened';

/** The page of each form for people: a plain HTML form. No key is needed. */
export function addFillInPage(app: FastifyInstance, context: Context): void {
  void app.register(async (pages) => {
    pages.addContentTypeParser(
      ['application/x-www-form-urlencoded', 'multipart/form-data'],
      { parseAs: 'buffer' },
      async ({ headers }: FastifyRequest, body: Buffer<ArrayBuffer>) =>
        await parseForm(headers['content-type'] ?? '', body),
    );
    addRoute(pages, context);
  });
}

async function parseForm(type: string, body: Buffer<ArrayBuffer>): Promise<FormData> {
  // Who sends it is at this computer, so it need not be read without keeping all of it in memory.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  return await new Response(body, { headers: { 'content-type': type } }).formData();
}

function addRoute(app: FastifyInstance, context: Context): void {
  const { workspace } = context;
  const keepFile = async (upload: File): Promise<Json> => {
    const data = new Uint8Array(await upload.arrayBuffer());
    const file = workspace.addFile({ name: upload.name, type: upload.type, data });
    // The URL is known once the emulator listens.
    return { name: file.name, url: fileUrl(context.url, file) };
  };

  app.all<{ Params: { formId: string } }>('/forms/:formId/attempt', async (request, reply) => {
    const form = workspace.form(request.params.formId);
    if (!form) return sendNotFound(request, reply);
    if (isClosed(form))
      return sendPage(reply.code(403), form.title, '<p role="status">This form takes no submissions.</p>');
    const questions = form.questions.filter(({ isHidden }) => !isHidden);
    if (request.method !== 'POST') return sendPage(reply, form.title, formHtml(questions, workspace.now));
    const posted = request.body instanceof FormData ? request.body : new FormData();
    const answers: Record<string, Json> = {};
    for (const question of questions) {
      const answer = await readAnswer(question, posted, keepFile);
      if (answer !== undefined) answers[question.slug] = answer;
    }
    const { id } = workspace.addSubmission(form.id, { createdAt: readOpened(posted, workspace.now), answers });
    return sendPage(reply, 'Thank you!', `<p role="status">Submission ${escape(id)} was sent.</p>`);
  });
}

function isClosed({ isArchived, isDisabled, isSuspended, isPublished }: Form): boolean {
  return isArchived || isDisabled || isSuspended || !isPublished;
}

/** When the page was opened, which is the creation time of the submission; now for what was posted without the page. */
function readOpened(posted: FormData, now: number): number {
  const opened = Number(posted.get(OPENED) ?? now);
  return Number.isSafeInteger(opened) && opened > 0 && opened < now ? opened : now;
}

/** What was answered, in the shape in which the service sends it; undefined when nothing was. */
async function readAnswer(
  { kind, slug }: Question,
  posted: FormData,
  keepFile: (file: File) => Promise<Json>,
): Promise<Json | undefined> {
  const entries = posted.getAll(slug);
  if (kind === 'file_upload') {
    // A browser sends an empty file when none was chosen.
    const chosen = entries.filter((entry) => entry instanceof File).filter(({ size }) => size > 0);
    return chosen.length > 0 ? { files: await Promise.all(chosen.map(keepFile)) } : undefined;
  }
  if (kind === 'checkbox') {
    const chosen = entries.map(textOf).filter((choice) => choice !== '');
    return chosen.length > 0 ? chosen : undefined;
  }
  const parts = PARTS[kind];
  if (!parts) return textOf(entries[0]) || undefined;
  const given = Object.keys(parts).map((part) => [part, textOf(posted.get(`${slug}[${part}]`))] as const);
  if (given.every(([, content]) => content === '')) return undefined;
  if (kind !== 'address') return Object.fromEntries(given);
  const lines = given.filter(([, content]) => content !== '');
  return { address: lines.map(([part, content]) => ({ label: parts[part] ?? part, content })) };
}

/** The text of a field. Browsers send the line ends of a text area as CR LF. */
function textOf(entry: File | string | null | undefined): string {
  return typeof entry === 'string' ? entry.replaceAll('\r\n', '\n').trim() : '';
}

function formHtml(questions: Question[], openedAt: number): string {
  const note = questions.some(({ isRequired }) => isRequired) ? '<p><small>* required</small>' : '';
  const opened = `<input type="hidden" name="${OPENED}" value="${openedAt}">`;
  const fields = questions.map(questionHtml).join('');
  return `${note}<form method="post" enctype="multipart/form-data">${opened}${fields}<button>Submit</button></form>`;
}

function questionHtml({ label, kind, slug, options, isRequired }: Question): string {
  const title = escape(label) + (isRequired ? ' <b>*</b>' : '');
  const nameOf = (name: string) => `name="${escape(name)}"${isRequired ? ' required' : ''}`;
  const group = (controls: string[]) => `<fieldset><legend>${title}</legend>${controls.join('')}</fieldset>`;
  const field = (text: string, control: string) => `<p><label>${text}<br>${control}</label>`;

  const parts = PARTS[kind];
  if (parts)
    return group(
      Object.entries(parts).map(([part, text]) => field(escape(text), `<input ${nameOf(`${slug}[${part}]`)}>`)),
    );
  if (options.length > 0 && (kind === 'checkbox' || kind === 'radio')) {
    // A browser would require each box.
    const name = kind === 'radio' ? nameOf(slug) : `name="${escape(slug)}"`;
    return group(
      options.map(
        (option) => `<label><input type="${kind}" ${name} value="${escape(option)}"> ${escape(option)}</label> `,
      ),
    );
  }
  if (options.length > 0) {
    const choices = ['', ...options].map((option) => `<option>${escape(option)}</option>`).join('');
    return field(title, `<select ${nameOf(slug)}>${choices}</select>`);
  }
  if (kind === 'textarea') return field(title, `<textarea rows="5" ${nameOf(slug)}></textarea>`);
  return field(title, `<input ${INPUTS[kind] ?? 'type="text"'} ${nameOf(slug)}>`);
}

/** The controls fill the page, and the marks of required questions are red. */
const STYLE = `body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; font-family: sans-serif }
input:not([type=radio], [type=checkbox]), select, textarea { width: 100%; box-sizing: border-box; font: inherit }
fieldset { margin: 1rem 0 } b { color: #c00 }`;

function sendPage(reply: FastifyReply, title: string, content: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .send(
      `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(title)}</title>` +
        `<style>${STYLE}</style><body><h1>${escape(title)}</h1>${content}</html>`,
    );
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
