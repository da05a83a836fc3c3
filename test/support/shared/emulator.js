// All test files share one emulator: see environment.js.
const { requireShared } = globalThis;
module.exports = {
  ...requireShared('../../../emulator/index.ts'),
  ...requireShared('../../../emulator/http/document.ts'),
};
