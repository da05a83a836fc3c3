import type { FastifyInstance, FastifyReply } from 'fastify';
import { sendNoSuchPage } from '../http/answers.ts';
import type { Context } from '../http/context.ts';
import { PostedForm } from '../http/postedForm.ts';
import { closedPage, formPage, thankYouPage } from '../page/pages.ts';
import { readAnswers } from '../page/reading.ts';
import type { Form } from '../store/types.ts';
import { fileAddress } from './files.ts';

interface ById {
  Params: { formId: string };
}

/** The page of each form for people: shows the questions and takes the answers. No key is needed. */
export function fillInRoutes(app: FastifyInstance, context: Context): void {
  const { workspace, origin } = context;

  app.get<ById>('/forms/:formId/attempt', async (request, reply) => {
    const form = workspace.form(request.params.formId);
    if (!form) return sendNoSuchPage(request, reply);
    if (!isOpen(form)) return sendPage(reply, 410, closedPage(form));
    return sendPage(
      reply,
      200,
      formPage(form, shownQuestions(form), () => [], new Map()),
    );
  });

  app.post<ById>('/forms/:formId/attempt', async (request, reply) => {
    const form = workspace.form(request.params.formId);
    if (!form) return sendNoSuchPage(request, reply);
    if (!isOpen(form)) return sendPage(reply, 410, closedPage(form));
    const questions = shownQuestions(form);
    const posted = request.body instanceof PostedForm ? request.body : new PostedForm();
    const { answers, problems } = readAnswers(questions, posted, (file) =>
      fileAddress(workspace.addFile(file), origin()),
    );
    if (problems.size > 0) {
      return sendPage(
        reply,
        422,
        formPage(form, questions, (name) => posted.texts(name), problems),
      );
    }
    const submission = workspace.addSubmission(form.id, { answers });
    return sendPage(reply, 200, thankYouPage(form, submission.id));
  });
}

function isOpen(form: Form): boolean {
  return !form.isArchived && !form.isDisabled && !form.isSuspended;
}

function shownQuestions(form: Form): Form['questions'] {
  return form.questions.filter(({ isHidden }) => !isHidden);
}

function sendPage(reply: FastifyReply, status: number, page: string): FastifyReply {
  return reply.code(status).type('text/html; charset=utf-8').send(page);
}
