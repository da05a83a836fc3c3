const { default: TestRunner } = require('jest-runner');

/** By the path of a test file: the names of its tests, and how long it took (ms). */
const known = new Map();
let goesOn = false;

/** Jest's runner for a run with a mutant: of the test files that reach it, it starts with the fastest, and ends with the first that fails. */
module.exports = class extends TestRunner {
  async runTests(tests, watcher, options) {
    // Stryker tries again in a new process. What a test began that never ended would disturb the tests of other mutants in this one.
    if (goesOn) process.exit();
    let hasFailed = false;
    this.on('test-file-failure', () => {
      hasFailed = true;
    });
    this.on('test-file-success', ([{ path }, { testResults, numFailingTests, perfStats }]) => {
      known.set(path, { names: testResults.map(({ fullName }) => fullName), ms: perfStats.runtime });
      hasFailed ||= numFailingTests > 0;
      goesOn ||= testResults.some(({ failureMessages }) => /Exceeded timeout/.test(failureMessages));
    });

    const pattern = new RegExp(this._globalConfig.testNamePattern ?? '');
    const reaching = tests.filter(({ path }) => known.get(path)?.names.some((name) => pattern.test(name)) ?? true);
    const msOf = ({ path }) => known.get(path)?.ms ?? Infinity;
    for (const test of reaching.sort((a, b) => msOf(a) - msOf(b))) {
      if (!hasFailed) await super.runTests([test], watcher, options);
    }
  }
};
