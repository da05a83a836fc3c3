import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Context } from '../http/operation.ts';
import { sendNotFound } from '../http/server.ts';
import type { Form, Json, Question } from '../store/types.ts';

/** The parts of a name: the label of each, by the ending of its field's name. */
const NAME_PARTS = { first_name: 'First name', last_name: 'Last name' };

/** The kinds of questions that the page leaves out. */
const NOT_ASKED = ['address', 'file_upload'];

/** The hidden field that remembers when the page was opened, milliseconds since 1970 UTC. */
const OPENED = '_opened';

/** The page of each form for people: a plain HTML form. No key is needed. */
export function addFillInPage(app: FastifyInstance, { workspace }: Context): void {
  app.all<{ Params: { formId: string } }>('/forms/:formId/attempt', async (request, reply) => {
    const form = workspace.form(request.params.formId);
    if (!form) return sendNotFound(request, reply);
    const questions = form.questions.filter(({ kind, isHidden }) => !isHidden && !NOT_ASKED.includes(kind));
    if (request.method !== 'POST') return sendPage(reply, form.title, formHtml(questions, workspace.now));
    const posted = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const answers = questions.flatMap((question) => {
      const answer = readAnswer(question, posted);
      return answer === undefined ? [] : [[question.slug, answer] as const];
    });
    const createdAt = readOpened(posted, workspace.now);
    const { id } = workspace.addSubmission(form.id, { createdAt, answers: Object.fromEntries(answers) });
    return sendPage(reply, 'Thank you!', `<p role="status">Submission ${escape(id)} was sent.</p>`);
  });
}

/** When the page was opened, which is the creation time of the submission; now for what was posted without the page. */
function readOpened(posted: URLSearchParams, now: number): number {
  const opened = Number(posted.get(OPENED) ?? now);
  return Number.isSafeInteger(opened) && opened > 0 && opened < now ? opened : now;
}

/** What was answered, in the shape in which the service sends it; undefined when nothing was. */
function readAnswer({ kind, slug }: Question, posted: URLSearchParams): Json | undefined {
  // Browsers send line ends of a text area as CR LF.
  const text = (name: string): string => (posted.get(name) ?? '').replaceAll('\r\n', '\n').trim();
  if (kind === 'name') {
    const parts = Object.keys(NAME_PARTS).map((part) => [part, text(`${slug}[${part}]`)] as const);
    return parts.some(([, content]) => content !== '') ? Object.fromEntries(parts) : undefined;
  }
  if (kind === 'checkbox') {
    const chosen = posted.getAll(slug).filter((choice) => choice !== '');
    return chosen.length > 0 ? chosen : undefined;
  }
  const value = text(slug);
  if (value === '') return undefined;
  return kind === 'phone' ? { country_name: text(`${slug}[country]`), value } : value;
}

function formHtml(questions: Form['questions'], openedAt: number): string {
  const opened = `<input type="hidden" name="${OPENED}" value="${openedAt}">`;
  return `<form method="post">${opened}${questions.map(questionHtml).join('')}<button>Submit</button></form>`;
}

function questionHtml({ label, kind, slug, options, isRequired }: Question): string {
  const field = (title: string, name: string, control: (attributes: string) => string): string =>
    `<p><label>${escape(title)}<br>${control(`name="${escape(name)}"`)}</label>`;
  const input = (attributes: string) => `<input ${attributes}>`;

  if (kind === 'name') {
    const fields = Object.entries(NAME_PARTS).map(([part, title]) => field(title, `${slug}[${part}]`, input));
    return `<fieldset><legend>${escape(label)}</legend>${fields.join('')}</fieldset>`;
  }
  const country = kind === 'phone' ? field('Country', `${slug}[country]`, input) : '';
  const control = (attributes: string): string => {
    const all = isRequired ? `${attributes} required` : attributes;
    if (kind === 'textarea') return `<textarea rows="5" ${all}></textarea>`;
    if (options.length === 0) return `<input type="${kind === 'email' ? 'email' : 'text'}" ${all}>`;
    const choices = ['', ...options].map((option) => `<option>${escape(option)}</option>`).join('');
    return `<select ${kind === 'checkbox' ? 'multiple ' : ''}${all}>${choices}</select>`;
  };
  return country + field(label, slug, control);
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
