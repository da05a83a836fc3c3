const { enableCompileCache } = require('node:module');
const { join } = require('node:path');
const { isNativeError } = require('node:util').types;
const { TestEnvironment } = require('jest-environment-node');
require('reflect-metadata');

enableCompileCache(join(__dirname, '../../../.cache/compiled'));

/**
 * Jest's environment for Node, in which all test files of a process share n8n's engine and the emulator: to load them for each test file
 * would take half the time of the tests. Jest's `moduleNameMapper` leads to the files beside this one.
 */
module.exports = class extends TestEnvironment {
  /** @param {ConstructorParameters<typeof TestEnvironment>} args */
  constructor(...args) {
    super(...args);
    const { global } = this;
    global.requireShared = require;
    // A test file has an Error of its own. `instanceof` must be true for those of the other side, too.
    for (const { Error } of [global, globalThis]) acceptErrors(Error);
  }
};

function acceptErrors(Error) {
  const isOrdinary = Function.prototype[Symbol.hasInstance];
  Object.defineProperty(Error, Symbol.hasInstance, {
    configurable: true,
    value(value) {
      return isOrdinary.call(this, value) || (this === Error && isNativeError(value));
    },
  });
}
