// One for all test files: see environment.js.
const { requireShared } = globalThis;
module.exports = {
  ...requireShared('../../../emulator/index.ts'),
  ...requireShared('../../../emulator/http/document.ts'),
};
