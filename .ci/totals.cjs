// Usage: node totals.cjs <other failures> <folder with jest's JSON reports>
const { readFileSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

const [otherFailures, folder] = process.argv.slice(2);
let passed = 0;
let failed = Number(otherFailures);
for (const file of readdirSync(folder)) {
  const report = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  passed += report.numPassedTests;
  // A suite that broke before its first test has no failed test of its own.
  failed += report.numFailedTests + report.numRuntimeErrorTestSuites;
  if (!report.success && report.numFailedTests + report.numRuntimeErrorTestSuites === 0) failed += 1;
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
