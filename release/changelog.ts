// The changelog as text: a release moves what stands under [Unreleased] to a heading of its own.

const UNRELEASED = '## [Unreleased]\n';

/**
 * Moves the unreleased changes to a heading with the version and the date.
 *
 * @param date as YYYY-MM-DD
 * @returns the whole changelog
 * @throws Error when there is nothing to release, or the version has a heading already
 */
export function startVersion(changelog: string, version: string, date: string): string {
  const [before, rest, ...more] = changelog.split(UNRELEASED);
  if (before === undefined || rest === undefined || more.length > 0)
    throw new Error(`CHANGELOG.md needs one heading "${UNRELEASED.trim()}".`);
  if (headingOf(changelog, version) !== undefined)
    throw new Error(`CHANGELOG.md has a heading for ${version} already.`);
  if (sectionAt(rest, 0) === '') throw new Error(`CHANGELOG.md has nothing under "${UNRELEASED.trim()}".`);
  return `${before}${UNRELEASED}\n## ${version} - ${date}\n${rest}`;
}

/**
 * What the changelog says about a version, without its heading.
 *
 * @throws Error when it says nothing
 */
export function notesOf(changelog: string, version: string): string {
  const heading = headingOf(changelog, version);
  const notes = heading ? sectionAt(changelog, heading.index + heading[0].length) : '';
  if (notes === '') throw new Error(`CHANGELOG.md says nothing about ${version}.`);
  return notes;
}

/** The tag of npm under which a version is published: users get a version without a suffix only. */
export function distTag(version: string): 'latest' | 'beta' {
  return version.includes('-') ? 'beta' : 'latest';
}

function headingOf(changelog: string, version: string): RegExpExecArray | undefined {
  const escaped = version.replace(/[.+]/g, '\\$&');
  return new RegExp(`^## \\[?${escaped}\\]?( - .*)?$`, 'm').exec(changelog) ?? undefined;
}

/** The text from this index to the next version or the links at the end. */
function sectionAt(changelog: string, index: number): string {
  const [section = ''] = changelog.slice(index).split(/^(?=## |\[[^\]]+\]: )/m);
  return section.trim();
}
