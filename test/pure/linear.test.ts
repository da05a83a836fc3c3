import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { validateFileAddress } from '../../nodes/NeetoForm/downloads/fileAddress';
import { fileName, mimeType } from '../../nodes/NeetoForm/downloads/fileName';
import { comparable, hasWords, oneLine, searchWords } from '../../nodes/NeetoForm/text';
import { parseDate } from '../../nodes/NeetoForm/parameters/dates';
import { isEmail } from '../../nodes/NeetoForm/parameters/values';
import { filesIn, flatten, toCell } from '../../nodes/NeetoForm/submissions/answers';
import { chooseColumns, columnNamer, nameColumns, toColumnName } from '../../nodes/NeetoForm/submissions/columnNames';
import { searchableText } from '../../nodes/NeetoForm/submissions/extract';
import type { OutputOptions } from '../../nodes/NeetoForm/parameters/outputOptions';
import { parseFormDetails } from '../../nodes/NeetoForm/submissions/questions';
import { toTexts } from '../../nodes/NeetoForm/submissions/answerTexts';
import { itemsOf, optionsOf } from './items';
import { parseHost } from '../../nodes/NeetoForm/parameters/downloadSettings';

const LENGTH = 100_000;
const CHARACTERS = Array.from(' \n\t.,;:@=&%#?+-_*/\\|"\'<>()[]{}$^~0aZßéا好\u0301\u200b\u2028').concat('\ud83d');
const WORDS = [
  'https://',
  '; filename=',
  '; filename*=',
  "utf-8''",
  '=?utf-8?q?',
  '?= =?',
  '.s3.',
  'www.',
  '%20',
  '\\"',
  '\r\n',
  '[[',
  '{"',
  '.1',
  'aa',
];

const part = fc.constantFrom(...CHARACTERS, ...WORDS);
const filled = (text: string) => text.repeat(Math.ceil(LENGTH / text.length));

/** Pairs for 100 kB, and a run of one with another behind it: what backtracks looks for an end that is not there. */
const texts = fc
  .tuple(part, part, fc.boolean())
  .map(([first, second, isRun]) => (isRun ? `x${filled(first)}${second}` : `${filled(first + second)}!`));
const runs = [...CHARACTERS, ...WORDS].map((each) => `x${filled(each)}!`);

const hosts = { workspace: 'https://acme.neetoform.com', allowedHosts: ['*.example.com'] };
const key = { key: 'k', question: 'q', url: '' };
const named = (label: string, kind = label) =>
  nameColumns([{ slug: 's', label, position: 1, kind }], [], 'label', columnNamer('label', []));
const columns = named('Label', '');

const itemsWith = (responses: IDataObject[], over: Partial<OutputOptions>) =>
  itemsOf([{ id: 'x', responses, field_values: responses }], optionsOf(over));

const readers: Record<string, (text: string) => unknown> = {
  'the address of a file': (text) => validateFileAddress(text, 'answer', hosts),
  'the host of a file': (text) => validateFileAddress(`https://${text}.example.com/`, 'redirect', hosts),
  'an allowed host': parseHost,
  'the name of a file': (name) => fileName({ ...key, name }, {}, 'https://x.test/a'),
  'the headers of a file': (text) => [
    ['', '=', '="', "*=utf-8''"].map((start) => {
      const headers = { 'content-disposition': `attachment; filename${start}${text}` };
      return fileName({ ...key, name: '' }, headers, 'https://x.test/a');
    }),
    mimeType({ 'content-type': text }),
  ],
  'a date': (text) => [parseDate(text, 'UTC'), parseDate(`2026-02-09 ${text}`, 'UTC')],
  'an email address': (text) => [isEmail(text), isEmail(`a@${text}`)],
  'an answer': (text) => toCell('text', text),
  'an answer about files': (text) => [toCell('file_upload', text), filesIn('file_upload', ` ${text}`)],
  'the parts of an answer': (text) => [
    flatten(text, { [text]: text, first_name: text, last_name: text }),
    toCell('', { address: [{ label: text, content: text }] }),
  ],
  'the text of an answer': (answer) => toTexts([{ question: answer, answer }]),
  'a question': (text) => [
    named(text),
    toColumnName(text),
    parseFormDetails({ title: text, questions: [{ label: text }] }),
  ],
  'a chosen question': (text) => chooseColumns(columns, [text], false),
  'a search': (text) => [searchWords(text), hasWords(text, ['x', 'no']), comparable(text), oneLine(text)],
  'the key of a file': (label) =>
    itemsWith([{ label, kind: 'file', value: 'https://x.test/' }], { downloadFiles: true, answerNames: 'columnName' }),
};

/** ms of computing, the fastest of three runs: whatever else the computer does is not counted. */
function fastest(run: () => unknown, limit = 100): number {
  let best = Infinity;
  for (let tries = 0; tries < 3 && best > limit; tries++) {
    const before = process.cpuUsage();
    run();
    best = Math.min(best, process.cpuUsage(before).user / 1000);
  }
  return best;
}

describe('100 kB of anything take less than 100 ms, whatever a respondent or a client repeats:', () => {
  it.each(Object.entries(readers))('%s', (_what, read) => {
    for (const text of runs)
      expect([text.slice(0, 20), fastest(() => read(text)) < 100]).toEqual([text.slice(0, 20), true]);
    fc.assert(
      fc.property(texts, (text) => expect(fastest(() => read(text))).toBeLessThan(100)),
      { numRuns: 10 },
    );
  });

  const many = <T>(make: (index: number) => T) => Array.from({ length: 8_000 }, (_, index) => make(index));
  const line = { label: 'Line', content: 'x' };
  const question = { label: 'Same', kind: 'text', value: 'x' };
  const equal = many(() => question);
  const numbered = many((index) => ({ ...question, label: index % 2 ? 'Same' : `Same (${index})` }));
  const files = many((index) => ({ name: 'a', url: `https://x.test/${index}` }));
  const choices = many((index) => (index % 2 ? 'a' : 'A')).join();
  const sameColumns = many((nth) => ({ question: { slug: `${nth}`, label: 'A', position: 1, kind: '' }, name: 'A' }));

  it.each<[what: string, run: () => unknown]>([
    ['equal lines of an address', () => toCell('address', { address: many(() => line) })],
    ['equal questions', () => itemsWith(equal, { answerNames: 'columnName' })],
    ['equal questions with numbers', () => itemsWith(numbered, { includeCustomColumns: true })],
    ['equal labels on a form', () => parseFormDetails({ questions: numbered })],
    ['equal questions with files', () => itemsWith([{ ...question, value: { files } }], { downloadFiles: true })],
    ['questions in a search', () => searchableText({ id: 'x', responses: numbered })],
    ['choices of equal questions', () => chooseColumns(sameColumns, [choices], true)],
  ])('eight thousand %s take less than 200 ms', (_what, run) => {
    expect(fastest(run, 200)).toBeLessThan(200);
  });
});
