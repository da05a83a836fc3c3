/** Whether Node's own error, of whatever realm (a test runner has several), carries this code. */
export function hasErrorCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
