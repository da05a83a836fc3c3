/** Where an icon is, as a node or a credential says it: relative to its own file. */
export type IconReference = string | { light: string; dark: string } | undefined;

/** What to object to in an icon; `read` gives the content of a file, or undefined if it is not there. */
export function iconFindings(icon: IconReference, read: (path: string) => string | undefined): string[] {
  if (typeof icon !== 'object') return ['has no icon for light and dark'];
  const twice = icon.light === icon.dark ? ['light and dark are the same file'] : [];
  return [
    ...twice,
    ...Object.entries(icon).flatMap(([theme, reference]) =>
      fileFindings(reference, read).map((finding) => `${theme}: ${finding}`),
    ),
  ];
}

function fileFindings(reference: string, read: (path: string) => string | undefined): string[] {
  const path = /^file:(.+\.svg)$/.exec(reference)?.[1];
  if (path === undefined) return [`${reference} is not an SVG file`];
  const svg = read(path);
  if (svg === undefined) return [`${path} is not there`];
  return drawingFindings(svg).map((finding) => `${path} ${finding}`);
}

function drawingFindings(svg: string): string[] {
  const [, width, height] = /viewBox="0 0 (\S+) (\S+)"/.exec(svg) ?? [];
  return [
    ...(width === undefined || width !== height ? ['is not square'] : []),
    ...(/<script|<image|\bon\w+=|href=/.test(svg) ? ['is more than a drawing'] : []),
  ];
}
