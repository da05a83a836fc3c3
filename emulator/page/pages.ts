import type { Form, Question } from '../store/types.ts';
import { questionHtml, type Entered } from './controls.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';

/**
 * The page on which a form is filled in.
 * @param entered what the respondent entered before
 * @param problems what was wrong with it, by question slug
 */
export function formPage(form: Form, questions: Question[], entered: Entered, problems: Map<string, string>): string {
  const wrong = questions.filter(({ slug }) => problems.has(slug));
  const summary = html`<div class="summary" role="alert">
    <strong>Your answers were not sent yet.</strong>
    <ul>
      ${wrong.map(({ id, label, slug }) => html`<li><a href="#${id}">${label}</a>: ${problems.get(slug)}</li>`)}
    </ul>
  </div>`;
  const isAnyRequired = questions.some(({ isRequired }) => isRequired);
  return layout(
    form.title,
    html`${wrong.length > 0 && summary}
      <form method="post" enctype="multipart/form-data">
        ${isAnyRequired && html`<p class="soft">Questions marked <span class="required">*</span> must be answered.</p>`}
        ${questions.length === 0 && html`<p class="soft">This form has no questions yet.</p>`}
        ${questions.map((question) => questionHtml(question, entered, problems.get(question.slug)))}
        <button type="submit">Submit</button>
      </form>`,
  );
}

/** The page that follows a submission. */
export function thankYouPage(form: Form, submissionId: string): string {
  return layout(
    'Thank you!',
    html`<p role="status">Your answers to “${form.title}” were sent.</p>
      <p class="soft">Submission <code>${submissionId}</code></p>`,
  );
}

/** The page of a form that takes no answers. */
export function closedPage(form: Form): string {
  return layout(form.title, html`<p>This form does not accept answers at the moment.</p>`);
}
