import { oneLine } from '../json';

/** A question with its answer, as a text shows them. */
export interface Line {
  question: string;
  answer: string;
}

/** The styles stand at the elements, because mail programs remove style sheets. */
const TABLE = 'style="border-collapse:collapse"';
const CELL = 'style="border:1px solid #cccccc;padding:6px 10px;text-align:left;vertical-align:top"';

/** The characters that some program shows as a new line. */
const LINE_BREAK = /\r\n?|[\n\v\f\u0085\u2028\u2029]/g;

/**
 * Writes the answers for mails and messages: as plain text with a line `Question: answer` each, and as a table in HTML. Further lines of
 * an answer are indented. Otherwise `Bob⏎Approved by manager: Yes` would forge the answer to another question.
 */
export function toTexts(lines: Line[]): { text: string; html: string } {
  const named = lines.map(({ question, answer }) => ({ question: oneLine(question), answer }));
  const rows = named.map(
    ({ question, answer }) =>
      `<tr><th ${CELL}>${escape(question)}</th><td ${CELL}>${escape(answer).replace(LINE_BREAK, '<br>')}</td></tr>`,
  );
  return {
    text: named.map(({ question, answer }) => `${question}: ${answer.replace(LINE_BREAK, '\n    ')}`).join('\n'),
    html: `<table ${TABLE}>${rows.join('')}</table>`,
  };
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes a text for HTML. Respondents type answers, and none may become markup of the mail. */
function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
