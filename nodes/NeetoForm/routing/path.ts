/**
 * Finds an id that would change which address is called. An id is one encoded path segment, so all that can still go wrong is
 * an empty segment and the dot segments `.` and `..`, which encoding leaves as they are and URL parsers collapse.
 *
 * @returns what is wrong with the path, or undefined
 */
export function faultOfPath(path: string): string | undefined {
  const segments = path.split('/').slice(1);
  if (segments.some((segment) => segment.trim() === '' || /^(?:%20)+$/.test(segment))) return 'is empty';
  if (segments.some((segment) => segment === '.' || segment === '..')) return 'is not an ID';
  return undefined;
}
