import { oneLine } from '../json';

/** One answered question of a text. */
export interface Line {
  question: string;
  answer: string;
}

/** Mail programs drop style sheets and keep the styles of an element. */
const TABLE = 'style="border-collapse:collapse"';
const CELL = 'style="border:1px solid #cccccc;padding:6px 10px;text-align:left;vertical-align:top"';

/** What begins a new line, wherever the text is shown. */
const LINE_BREAK = /\r\n?|[\n\v\f\u0085\u2028\u2029]/g;

/**
 * The answers as plain text, one line `Question: answer` each, and as a table in HTML, for mails and messages. Further lines of an
 * answer are indented, so that no answer looks like that of another question: `Bob⏎Approved by manager: Yes`.
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

/** Respondents type answers: none may become markup of the mail. */
function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
