const { default: Sequencer } = require('@jest/test-sequencer');

/** Starts the simulation first: it takes longest. By default, Jest orders files that it has not run before by their size. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const isLongest = ({ path }) => path.endsWith('simulation.test.ts');
    const sorted = super.sort(tests);
    return [...sorted.filter(isLongest), ...sorted.filter((test) => !isLongest(test))];
  }
};
