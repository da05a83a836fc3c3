import { anchorsOf, headingsOf } from '../markdown.ts';

/** What a user, or a reviewer at n8n, looks for in the README. */
const wantedSections: Record<string, RegExp> = {
  installation: /^install/i,
  credentials: /^credential/i,
  operations: /^(the neetoform node|operations)$/i,
  trigger: /trigger$/i,
  usage: /^(usage|your first workflow)/i,
  troubleshooting: /^troubleshooting/i,
  privacy: /^privacy/i,
  compatibility: /^compatibility/i,
};

/** What to object to in the README: `named` are the words of the nodes that it has to explain. */
export function readmeFindings(readme: string, named: string[]): string[] {
  const headings = headingsOf(readme);
  const anchors = anchorsOf(readme);
  return [
    ...Object.entries(wantedSections)
      .filter(([, title]) => !headings.some((heading) => title.test(heading)))
      .map(([subject]) => `has no section on ${subject}`),
    ...[...readme.matchAll(/\]\(#([^)]+)\)/g)].flatMap(([, anchor = '']) =>
      anchors.has(anchor) ? [] : [`links to #${anchor}, which is no heading`],
    ),
    ...named.filter((name) => !readme.includes(name)).map((name) => `does not name ${name}`),
  ];
}

/** Whether a link into the README, at the homepage, leads to one of its headings. */
export function leadsIntoReadme(link: string, homepage: string, readme: string): boolean {
  const [page, anchor] = link.split('#');
  return page === homepage.split('#')[0] && (anchor === 'readme' || anchorsOf(readme).has(anchor ?? ''));
}
