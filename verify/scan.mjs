/**
 * Runs the rules of n8n's scanner over a folder and prints every finding, warnings included, as JSON.
 * Usage: node scan.mjs <folder> <pattern>…; without a pattern, those that the scanner uses on sources.
 */
import { SOURCE_FILE_PATTERNS, analyzePackage, buildScanConfig } from '@n8n/scan-community-package/scanner/scanner.mjs';
import { ESLint } from 'eslint';

const [folder, ...given] = process.argv.slice(2);
const patterns = given.length === 0 ? SOURCE_FILE_PATTERNS : given;

const verdict = await analyzePackage(folder, patterns);
const eslint = new ESLint({
  cwd: folder,
  allowInlineConfig: false,
  overrideConfigFile: true,
  overrideConfig: await buildScanConfig(),
});
const results = await eslint.lintFiles(patterns);

console.log(
  JSON.stringify({
    passed: verdict.passed,
    message: verdict.message,
    files: results.length,
    findings: results.flatMap(({ filePath, messages }) =>
      messages.map(({ ruleId, line, message }) => `${filePath}:${line} ${ruleId}: ${message}`),
    ),
  }),
);
