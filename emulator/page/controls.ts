import type { Question } from '../store/types.ts';
import { html, type Html } from './html.ts';
import { ADDRESS_PARTS, controlOf, partName, PHONE_COUNTRIES, scaleSteps } from './kinds.ts';

/** What a respondent entered before, text by field name. */
export type Entered = (name: string) => string[];

interface Asked {
  question: Question;
  entered: Entered;
  problem: string | undefined;
}

/**
 * One question with its control.
 * @param problem what was wrong with the answer, if there was one
 */
export function questionHtml(question: Question, entered: Entered, problem: string | undefined): Html {
  const asked = { question, entered, problem };
  const control = controlOf(question.kind);
  switch (control.as) {
    case 'input':
      return single(
        asked,
        html`<input
          id="${question.id}"
          name="${question.slug}"
          type="${control.type}"
          autocomplete="${control.autocomplete ?? 'off'}"
          value="${first(asked)}"
          ${state(asked)}
        />`,
      );
    case 'textarea':
      return single(
        asked,
        html`<textarea id="${question.id}" name="${question.slug}" rows="5" ${state(asked)}>${first(asked)}</textarea>`,
      );
    case 'select':
      return single(
        asked,
        html`<select id="${question.id}" name="${question.slug}" ${state(asked)}>
          ${optionsHtml(['', ...question.options], first(asked))}
        </select>`,
      );
    case 'files':
      return single(
        asked,
        html`<input id="${question.id}" name="${question.slug}" type="file" multiple ${state(asked)} />`,
      );
    case 'radios':
      return group(asked, choices(asked, question.options, 'radio'));
    case 'scale':
      return group(asked, html`<div class="scale">${choices(asked, scaleSteps(control), 'radio')}</div>`);
    case 'checkboxes':
      return group(asked, choices(asked, question.options, 'checkbox'));
    case 'name':
      return group(asked, [
        part(asked, 'first_name', 'First name', 'given-name'),
        part(asked, 'last_name', 'Last name', 'family-name'),
      ]);
    case 'address':
      return group(
        asked,
        ADDRESS_PARTS.map(({ key, label, autocomplete }) => part(asked, key, label, autocomplete)),
      );
    case 'phone':
      return group(asked, phone(asked));
  }
}

function single({ question, problem }: Asked, control: Html): Html {
  return html`<div class="question">
    <label for="${question.id}">${labelText(question)}</label>${control}${problemHtml(question, problem)}
  </div> `;
}

function group({ question, problem }: Asked, controls: Html | Html[]): Html {
  return html`<fieldset
    class="question"
    id="${question.id}"
    tabindex="-1"
    ${problem !== undefined && html` aria-describedby="${question.id}-problem"`}
  >
    <legend>${labelText(question)}</legend>
    ${controls}${problemHtml(question, problem)}
  </fieldset> `;
}

function labelText({ label, isRequired }: Question): Html {
  return html`${label}${isRequired && html` <span class="required" title="required">*</span>`}`;
}

function problemHtml({ id }: Question, problem: string | undefined): Html {
  return html`${problem !== undefined && html`<p class="problem" id="${id}-problem">${problem}</p>`}`;
}

function state({ question, problem }: Asked): Html {
  return html`${question.isRequired && 'required'}${
    problem !== undefined && html` aria-invalid="true" aria-describedby="${question.id}-problem"`
  }`;
}

function first({ question, entered }: Asked): string {
  return entered(question.slug)[0] ?? '';
}

function choices({ question, entered }: Asked, options: string[], type: 'radio' | 'checkbox'): Html[] {
  const chosen = entered(question.slug);
  return options.map(
    (option) =>
      html`<label class="option"
        ><input
          type="${type}"
          name="${question.slug}"
          value="${option}"
          ${chosen.includes(option) && ' checked'}${type === 'radio' && question.isRequired && ' required'}
        /><span>${option}</span></label
      > `,
  );
}

function part({ question, entered }: Asked, key: string, label: string, autocomplete: string): Html {
  const name = partName(question.slug, key);
  return html`<label class="part"
    ><span>${label}</span
    ><input type="text" name="${name}" autocomplete="${autocomplete}" value="${entered(name)[0] ?? ''}"
  /></label> `;
}

function phone({ question, entered }: Asked): Html {
  const country = partName(question.slug, 'country');
  return html`<label class="part"
      ><span>Country</span
      ><select name="${country}" autocomplete="country-name">
        ${optionsHtml(PHONE_COUNTRIES, entered(country)[0] ?? 'United States')}
      </select></label
    >
    <label class="part"
      ><span>Number</span
      ><input
        type="tel"
        name="${question.slug}"
        autocomplete="tel"
        value="${entered(question.slug)[0] ?? ''}"
        ${question.isRequired && ' required'}
    /></label> `;
}

function optionsHtml(options: string[], chosen: string): Html[] {
  return options.map(
    (option) => html`<option value="${option}" ${option === chosen && ' selected'}>${option}</option>`,
  );
}
