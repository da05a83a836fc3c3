import { oneLine } from '../json';

/** One answered question of a text. */
export interface Line {
  question: string;
  answer: string;
}

/** The answers as plain text, one line `Question: answer` each, and as a table in HTML, for mails and messages. */
export function toTexts(lines: Line[]): { text: string; html: string } {
  const named = lines.map(({ question, answer }) => ({ question: oneLine(question), answer }));
  const rows = named.map(
    ({ question, answer }) =>
      `<tr><th align="left" valign="top">${escape(question)}</th><td>${escape(answer).replace(/\r\n?|\n/g, '<br>')}</td></tr>`,
  );
  return {
    text: named.map(({ question, answer }) => `${question}: ${answer}`).join('\n'),
    html: `<table>${rows.join('')}</table>`,
  };
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Respondents type answers: none may become markup of the mail. */
function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
