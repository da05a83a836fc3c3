const { enableCompileCache } = require('node:module');
const { join } = require('node:path');
const { isDate, isNativeError } = require('node:util').types;
const { TestEnvironment } = require('jest-environment-node');
require('reflect-metadata');

enableCompileCache(join(__dirname, '../../../.cache/compiled'));

/**
 * Jest's environment for Node, in which all test files of a process share n8n's engine and the emulator. To compile their thousands of files
 * and the rules of the OpenAPI document again for each test file would take half the time of the tests. Jest's `moduleNameMapper` leads to
 * the files beside this one.
 */
module.exports = class extends TestEnvironment {
  /** @param {ConstructorParameters<typeof TestEnvironment>} args */
  constructor(...args) {
    super(...args);
    const { global } = this;
    global.requireShared = require;
    // A test file has an Error and a Date of its own. Each side must know those of the other.
    for (const { Error, Date } of [global, globalThis]) {
      acceptAll(Error, isNativeError);
      acceptAll(Date, isDate);
    }
  }
};

/** Makes `value instanceof type` true for every value that the function finds, also of another context. */
function acceptAll(type, isOne) {
  const isOrdinary = Function.prototype[Symbol.hasInstance];
  Object.defineProperty(type, Symbol.hasInstance, {
    configurable: true,
    value(value) {
      return isOrdinary.call(this, value) || (this === type && isOne(value));
    },
  });
}
