import { oneLine } from '../text';

// Mail programs remove style sheets, so each element has its style.
const TABLE = 'style="border-collapse:collapse"';
const CELL = 'style="border:1px solid #cccccc;padding:6px 10px;text-align:left;vertical-align:top"';

/** Everything that some program shows as a new line. */
const LINE_BREAK = /\r\n?|[\n\v\f\u0085\u2028\u2029]/g;

/** Writes answers for mails and messages: as lines `Question: answer`, and as a table in HTML. */
export function toTexts(lines: Array<{ question: string; answer: string }>): { text: string; html: string } {
  const named = lines.map(({ question, answer }) => ({ question: oneLine(question), answer }));
  const rows = named.map(
    ({ question, answer }) =>
      `<tr><th ${CELL}>${escape(question)}</th><td ${CELL}>${escape(answer).replace(LINE_BREAK, '<br>')}</td></tr>`,
  );
  return {
    // Without the indent, the answer `Bob⏎Approved by manager: Yes` would forge the answer to another question.
    text: named.map(({ question, answer }) => `${question}: ${answer.replace(LINE_BREAK, '\n    ')}`).join('\n'),
    html: `<table ${TABLE}>${rows.join('')}</table>`,
  };
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
