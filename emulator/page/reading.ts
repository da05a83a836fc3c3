import { isEmail } from '../http/input.ts';
import type { PostedForm, UploadedFile } from '../http/postedForm.ts';
import type { Json, Question } from '../store/types.ts';
import { ADDRESS_PARTS, controlOf, partName, scaleSteps } from './kinds.ts';

/** Keeps an uploaded file and gives the address it is found at. */
export type KeepFile = (file: UploadedFile) => string;

/** What became of a posted form: the values by question slug, and what is wrong by question slug. */
export interface Reading {
  answers: Record<string, Json>;
  problems: Map<string, string>;
}

/**
 * Reads what was posted into the shapes in which the service sends answers; what was left empty has none.
 * Files are kept only when nothing is wrong.
 */
export function readAnswers(questions: Question[], posted: PostedForm, keepFile: KeepFile): Reading {
  const values: Array<[string, Json]> = [];
  const problems = new Map<string, string>();
  const uploads: Array<{ slug: string; files: UploadedFile[] }> = [];
  for (const question of questions) {
    const files = controlOf(question.kind).as === 'files' ? posted.files(question.slug) : [];
    const value = valueOf(question, posted);
    const problem = value === undefined && files.length === 0 ? missing(question) : mistake(question, value);
    if (problem !== undefined) problems.set(question.slug, problem);
    if (files.length > 0) uploads.push({ slug: question.slug, files });
    if (value !== undefined) values.push([question.slug, value]);
  }
  if (problems.size === 0) {
    for (const { slug, files } of uploads) {
      values.push([slug, { files: files.map((file) => ({ name: file.name, url: keepFile(file) })) }]);
    }
  }
  return { answers: Object.fromEntries(values), problems };
}

function valueOf({ kind, slug }: Question, posted: PostedForm): Json | undefined {
  const control = controlOf(kind);
  const single = textOf(slug, posted);
  switch (control.as) {
    case 'files':
      return undefined;
    case 'checkboxes': {
      const chosen = posted.texts(slug).filter((value) => value !== '');
      return chosen.length > 0 ? chosen : undefined;
    }
    case 'phone':
      return single === '' ? undefined : { country_name: textOf(partName(slug, 'country'), posted), value: single };
    case 'name': {
      const first = textOf(partName(slug, 'first_name'), posted);
      const last = textOf(partName(slug, 'last_name'), posted);
      return first + last === '' ? undefined : { first_name: first, last_name: last };
    }
    case 'address': {
      const parts = ADDRESS_PARTS.map(({ key, label }) => ({ label, content: textOf(partName(slug, key), posted) }));
      return parts.every(({ content }) => content === '') ? undefined : { address: parts };
    }
    default:
      return single === '' ? undefined : single;
  }
}

function missing({ isRequired }: Question): string | undefined {
  return isRequired ? 'Please answer this question.' : undefined;
}

function mistake({ kind, options }: Question, value: Json | undefined): string | undefined {
  const control = controlOf(kind);
  if (control.as === 'input' && typeof value === 'string') {
    if (control.type === 'email' && !isEmail(value)) return 'Please enter a valid e-mail address.';
    if (control.type === 'number' && !Number.isFinite(Number(value))) return 'Please enter a number.';
  }
  const offered = control.as === 'scale' ? scaleSteps(control) : options;
  if (['radios', 'select', 'scale', 'checkboxes'].includes(control.as)) {
    const chosen = Array.isArray(value) ? value : [value];
    if (!chosen.every((choice) => typeof choice === 'string' && offered.includes(choice))) {
      return 'Please choose from what is offered.';
    }
  }
  return undefined;
}

function textOf(name: string, posted: PostedForm): string {
  // Browsers send line ends of a text area as CR LF.
  return (posted.texts(name)[0] ?? '').replaceAll('\r\n', '\n').trim();
}
