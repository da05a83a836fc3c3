import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../http/operation.ts';
import { sendNotFound } from '../http/server.ts';
import type { Json, Question } from '../store/types.ts';
import { keepFile } from './files.ts';

/** The kinds of questions whose answer has several parts, with the label of each part. */
const PARTS: Record<string, Record<string, string>> = {
  name: { first_name: 'First name', last_name: 'Last name' },
  phone: { country_name: 'Country', value: 'Number' },
  address: { street: 'Street address', city: 'City', country: 'Country' },
};

/** The hidden field with the time at which the page was opened, in milliseconds since 1970 UTC. */
const OPENED = '_opened';

/** Adds a page for each form, on which people fill it in: plain HTML, without an API key. */
export function addFillInPage(app: FastifyInstance, context: Context): void {
  const { workspace } = context;
  const contentTypes = ['application/x-www-form-urlencoded', 'multipart/form-data'];
  app.addContentTypeParser(contentTypes, { parseAs: 'buffer' }, parseForm);
  app.all<{ Params: { formId: string } }>('/forms/:formId/attempt', async (request, reply) => {
    const form = workspace.form(request.params.formId);
    if (!form || form.isArchived || !form.isPublished) return sendNotFound(request, reply);
    const questions = form.questions.filter(({ isHidden }) => !isHidden);
    if (!(request.body instanceof FormData)) return sendPage(reply, form.title, formHtml(questions, workspace.now));
    const answers: Record<string, Json> = {};
    for (const question of questions) {
      const answer = await readAnswer(question, request.body, context);
      if (answer !== undefined) answers[question.slug] = answer;
    }
    const createdAt = Number(request.body.get(OPENED)) || workspace.now;
    const { id } = workspace.addSubmission(form.id, { createdAt, answers });
    return sendPage(reply, 'Thank you!', `<p role="status">Submission ${escape(id)} was sent.</p>`);
  });
}

async function parseForm({ headers }: FastifyRequest, body: Buffer<ArrayBuffer>): Promise<FormData> {
  // `formData` is deprecated for servers, because it keeps the whole body in memory. Only users of this computer send forms here.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  return await new Response(body, { headers: { 'content-type': headers['content-type'] ?? '' } }).formData();
}

/** The answer as the service would send it; undefined when the question was left empty. */
async function readAnswer({ kind, slug }: Question, posted: FormData, context: Context): Promise<Json | undefined> {
  const entries = posted.getAll(slug);
  // A browser sends an empty file when none was chosen.
  const uploads = entries.filter((entry) => entry instanceof File).filter(({ size }) => size > 0);
  const keep = async (file: File) => keepFile(context, { name: file.name, type: file.type, data: await file.bytes() });
  if (uploads.length > 0) return { files: await Promise.all(uploads.map(keep)) };
  const texts = entries.map(textOf).filter((text) => text !== '');
  if (texts.length > 0) return kind === 'checkbox' ? texts : texts[0];
  const parts = Object.entries(PARTS[kind] ?? {}).map(([part, label]) => {
    return { part, label, content: textOf(posted.get(`${slug}[${part}]`)) };
  });
  const filled = parts.filter(({ content }) => content !== '');
  if (filled.length === 0) return undefined;
  if (kind === 'address') return { address: filled.map(({ label, content }) => ({ label, content })) };
  return Object.fromEntries(parts.map(({ part, content }) => [part, content]));
}

/** The trimmed text of a field. Browsers send the line ends of a text area as CR LF. */
function textOf(entry: File | string | null): string {
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
  const name = `name="${escape(slug)}"`;
  const required = isRequired ? ' required' : '';
  const group = (controls: string[]) => `<fieldset><legend>${title}</legend>${controls.join('')}</fieldset>`;
  const field = (text: string, control: string) => `<p><label>${text}<br>${control}</label>`;
  const parts = Object.entries(PARTS[kind] ?? {});
  if (parts.length > 0)
    return group(parts.map(([part, text]) => field(text, `<input name="${escape(slug)}[${part}]"${required}>`)));
  const choices = options.map(escape);
  if (kind === 'checkbox')
    return group(
      choices.map((choice) => `<label><input type="checkbox" ${name} value="${choice}"> ${choice}</label> `),
    );
  const items = ['', ...choices].map((choice) => `<option>${choice}</option>`).join('');
  if (choices.length > 0) return field(title, `<select ${name}${required}>${items}</select>`);
  if (kind === 'textarea') return field(title, `<textarea rows="5" ${name}${required}></textarea>`);
  // Browsers read an unknown type as text.
  const type = kind === 'file_upload' ? 'type="file" multiple' : `type="${escape(kind)}"`;
  return field(title, `<input ${type} ${name}${required}>`);
}

const STYLE = `body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; font-family: sans-serif }
input:not([type=checkbox]), select, textarea { width: 100%; box-sizing: border-box; font: inherit }
fieldset, button { margin: 1rem 0 } b { color: #c00 }`;

function sendPage(reply: FastifyReply, title: string, content: string): FastifyReply {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(title)}</title>`;
  const body = `<body><h1>${escape(title)}</h1>${content}`;
  const page = `<!DOCTYPE html><html lang="en">${head}<style>${STYLE}</style>${body}</html>`;
  return reply.type('text/html; charset=utf-8').send(page);
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
