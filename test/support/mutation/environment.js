const Environment = require('../shared/environment');

/** Jest's environment for a run with a mutant, which ends with the first failure: after it, the other tests of the file are skipped. */
module.exports = class extends Environment {
  hasFailed = false;

  async handleTestEvent({ name, test }, state) {
    // A mutant that never ends costs seconds.
    if (name === 'run_start') state.testTimeout = 20_000;
    if (name === 'test_start' && this.hasFailed) test.mode = 'skip';
    if (name === 'test_done') this.hasFailed ||= test.errors.length > 0;
  }
};
