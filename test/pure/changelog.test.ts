import { distTag, notesOf, startVersion } from '../../release/changelog';

const changelog = `# Changelog

## [Unreleased]

### Added

- A thing.

## 1.0.0 - 2026-01-02

The first version.

[Unreleased]: https://example.com
`;

it('a release moves the unreleased changes to a heading of their own, and leaves the rest', () => {
  const released = startVersion(changelog, '1.1.0-beta.0', '2026-02-03');
  expect(released).toBe(changelog.replace('## [Unreleased]\n', '## [Unreleased]\n\n## 1.1.0-beta.0 - 2026-02-03\n'));
  expect(notesOf(released, '1.1.0-beta.0')).toBe('### Added\n\n- A thing.');
  expect(notesOf(released, '1.0.0')).toBe('The first version.');
});

it.each<[string, () => string, RegExp]>([
  [
    'nothing is unreleased',
    () => startVersion(changelog.replace(/### Added[^]*?thing\./, ''), '2.0.0', ''),
    /nothing under/,
  ],
  ['the version was released', () => startVersion(changelog, '1.0.0', ''), /has a heading for 1\.0\.0/],
  ['the heading is missing', () => startVersion('# Changelog\n', '2.0.0', ''), /needs one heading/],
  ['a version is unknown', () => notesOf(changelog, '1.0'), /says nothing about 1\.0/],
])('is refused when %s', (_title, call, message) => {
  expect(call).toThrow(message);
});

it.each([
  ['1.2.3', 'latest'],
  ['1.2.3-beta.0', 'beta'],
])('%s is published as %s', (version, tag) => {
  expect(distTag(version)).toBe(tag);
});
