import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Context } from '../http/operation.ts';
import { sendNotFound } from '../http/server.ts';
import type { Form, Json, Question } from '../store/types.ts';
import { fileAddress } from './files.ts';

const INPUT_TYPES: Record<string, string> = { website: 'url', file_upload: 'file', phone: 'tel' };
const NATIVE_TYPES = ['email', 'number', 'date', 'time'];
const SCALES: Record<string, string[]> = {
  star_rating: ['1', '2', '3', '4', '5'],
  opinion_scale: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10'],
};
/** Kinds whose answer has several parts: the label of each, by the ending of its field's name. */
const PARTS: Record<string, Record<string, string>> = {
  name: { first_name: 'First name', last_name: 'Last name' },
  address: { street: 'Street address', city: 'City', state: 'State', zip: 'Zip code', country: 'Country' },
};

/** The page of each form for people: a plain HTML form. No key is needed. */
export function addFillInPage(app: FastifyInstance, context: Context): void {
  const { workspace } = context;
  app.all<{ Params: { formId: string } }>('/forms/:formId/attempt', async (request, reply) => {
    const form = workspace.form(request.params.formId);
    if (!form) return sendNotFound(request, reply);
    if (request.method !== 'POST') return sendPage(reply, form.title, formHtml(form));
    const posted = request.body instanceof FormData ? request.body : new FormData();
    const values: Record<string, Json> = {};
    for (const question of shown(form)) {
      const value = await readAnswer(question, posted, context);
      if (value !== undefined) values[question.slug] = value;
    }
    const { id } = workspace.addSubmission(form.id, { answers: values });
    return sendPage(reply, 'Thank you!', `<p role="status">Submission ${escape(id)} was sent.</p>`);
  });
}

function shown(form: Form): Question[] {
  return form.questions.filter(({ isHidden }) => !isHidden);
}

/** What was answered, in the shape in which the service sends it; undefined when nothing was. */
async function readAnswer({ kind, slug }: Question, posted: FormData, context: Context): Promise<Json | undefined> {
  const text = (name: string): string => {
    const value = posted.get(name);
    // Browsers send line ends of a text area as CR LF.
    return typeof value === 'string' ? value.replaceAll('\r\n', '\n').trim() : '';
  };
  const parts = Object.entries(PARTS[kind] ?? {}).map(([key, label]) => ({
    key,
    label,
    content: text(`${slug}[${key}]`),
  }));
  if (parts.length > 0) {
    if (parts.every(({ content }) => content === '')) return undefined;
    if (kind === 'address') return { address: parts.map(({ label, content }) => ({ label, content })) };
    return Object.fromEntries(parts.map(({ key, content }) => [key, content]));
  }
  if (kind === 'file_upload') {
    const files: Json[] = [];
    for (const file of posted.getAll(slug)) {
      if (typeof file === 'string' || file.name === '') continue;
      const data = new Uint8Array(await file.arrayBuffer());
      const stored = context.workspace.addFile({ name: file.name, type: file.type, data });
      files.push({ name: file.name, url: fileAddress(stored, context.url) });
    }
    return files.length > 0 ? { files } : undefined;
  }
  if (kind === 'multiple_choice') {
    const chosen = posted.getAll(slug).filter((value) => typeof value === 'string');
    return chosen.length > 0 ? chosen : undefined;
  }
  const value = text(slug);
  if (value === '') return undefined;
  return kind === 'phone' ? { country_name: text(`${slug}[country]`), value } : value;
}

function formHtml(form: Form): string {
  return `<form method="post" enctype="multipart/form-data">${shown(form).map(questionHtml).join('')}<button>Submit</button></form>`;
}

function questionHtml({ label, kind, slug, options, isRequired }: Question): string {
  const field = (title: string, control: (attributes: string) => string, name = slug, required = isRequired): string =>
    `<p><label>${escape(title)}<br>${control(`name="${escape(name)}"${required ? ' required' : ''}`)}</label>`;
  const input = (type: string) => (attributes: string) => `<input type="${type}" ${attributes}>`;
  const group = (fields: string): string => `<fieldset><legend>${escape(label)}</legend>${fields}</fieldset>`;

  const parts = Object.entries(PARTS[kind] ?? {});
  if (parts.length > 0)
    return group(parts.map(([key, title]) => field(title, input('text'), `${slug}[${key}]`, false)).join(''));
  if (kind === 'multiple_choice')
    return group(
      options
        .map((option) =>
          field(option, (name) => `<input type="checkbox" value="${escape(option)}" ${name}>`, slug, false),
        )
        .join(''),
    );
  const choices = SCALES[kind] ?? (['single_choice', 'drop_down'].includes(kind) ? options : undefined);
  if (choices)
    return field(label, (attributes) => {
      const list = ['', ...choices].map((choice) => `<option>${escape(choice)}</option>`).join('');
      return `<select ${attributes}>${list}</select>`;
    });
  if (kind === 'long_text') return field(label, (attributes) => `<textarea rows="5" ${attributes}></textarea>`);
  const country = kind === 'phone' ? field('Country', input('text'), `${slug}[country]`, false) : '';
  return country + field(label, input(INPUT_TYPES[kind] ?? (NATIVE_TYPES.includes(kind) ? kind : 'text')));
}

function sendPage(reply: FastifyReply, title: string, content: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .send(
      `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(title)}</title>` +
        `<body style="max-width: 40rem; margin: 2rem auto; font-family: sans-serif"><h1>${escape(title)}</h1>${content}</html>`,
    );
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
