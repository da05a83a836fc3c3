import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What Jest tells of a test that ran. */
interface TestOutcome {
  /** The version of n8n. */
  ancestorTitles: string[];
  title: string;
  status: string;
}

interface Results {
  testResults: Array<{ testFilePath: string; testResults: TestOutcome[] }>;
}

const readme = join(import.meta.dirname, '../../../README.md');
const section = /(?<=<!-- compatibility:start -->\n)[^]*?(?=<!-- compatibility:end -->)/;

/** A reporter of Jest: with WRITE_GENERATED=true, what was tried in which version of n8n goes into the README when all of it ran. */
export default class CompatibilityTable {
  onRunComplete(_contexts: unknown, { testResults }: Results): void {
    if (process.env['WRITE_GENERATED'] !== 'true') return;
    const outcomes = testResults
      .filter(({ testFilePath }) => testFilePath.endsWith('versions.test.ts'))
      .flatMap((file) => file.testResults);
    const ran = outcomes.filter(({ status }) => status === 'passed' || status === 'failed');
    if (ran.length === 0 || ran.length < outcomes.length) return;
    const content = readFileSync(readme, 'utf8');
    if (!section.test(content)) throw new Error('The README has no place for the compatibility table');
    writeFileSync(readme, content.replace(section, table(ran)));
  }
}

function table(outcomes: TestOutcome[]): string {
  const columns = [...new Set(outcomes.map(({ title }) => title))];
  const versions = [...new Set(outcomes.map(({ ancestorTitles: [version = ''] }) => version))];
  const cellsOf = (version: string) =>
    outcomes
      .filter(({ ancestorTitles }) => ancestorTitles[0] === version)
      .map(({ status }) => (status === 'passed' ? 'yes' : '**no**'));
  const lines = [
    [`On Node.js ${process.versions.node}`, ...columns],
    ['', ...columns].map(() => '---'),
    ...versions.map((version) => [version, ...cellsOf(version)]),
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
