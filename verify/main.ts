import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { repositoryFolder } from '../n8n-runner/paths.ts';
import { type Check, runChecklist } from './checklist.ts';
import { lintAsN8n } from './n8nNode.ts';
import { codexFindings, codexLinks } from './rules/codex.ts';
import { iconFindings } from './rules/icons.ts';
import { manifestFindings } from './rules/manifest.ts';
import { leadsIntoReadme, readmeFindings } from './rules/readme.ts';
import { serviceMessage } from './rules/words.ts';
import { scan } from './scan.ts';
import { type UnpackedPackage, packAndUnpack } from './unpacked.ts';

const say = (line: string) => console.log(line);

const source = await readFile(join(repositoryFolder, 'package.json'), 'utf8');
const objections = manifestFindings(JSON.parse(source) as Record<string, unknown>);
const manifestCheck: Check = {
  title: 'package.json has what n8n asks for, no dependencies, no overrides and no install scripts',
  run: async () => ({ findings: objections }),
};

if (objections.length > 0) {
  // Nothing else can be told of a package that cannot be packed and loaded.
  await runChecklist([manifestCheck], say);
  process.exitCode = 1;
} else {
  const unpacked = await packAndUnpack();
  try {
    process.exitCode = (await runChecklist([manifestCheck, ...checksOf(unpacked)], say)) === 0 ? 0 : 1;
  } finally {
    await unpacked.remove();
  }
}

function checksOf({ folder, manifest, readme, nodes, credentials, readBeside }: UnpackedPackage): Check[] {
  const codexOf = (file: string) => readBeside(file, basename(file).replace(/\.js$/, '.json'));
  const words = [...new Set(nodes.flatMap(({ made }) => serviceMessage(made.description)))];
  const links = [
    manifest.homepage,
    ...nodes.flatMap(({ file }) => codexLinks(codexOf(file) ?? '')),
    ...credentials.flatMap(({ made }) => made.documentationUrl ?? []),
  ];
  return [
    {
      title: 'Every node and credential has a square icon for light and for dark',
      run: async () => ({
        findings: [
          ...nodes.map(({ file, made }) => ({ file, icon: made.description.icon })),
          ...credentials.map(({ file, made }) => ({ file, icon: made.icon })),
        ].flatMap(({ file, icon }) =>
          iconFindings(icon, (path) => readBeside(file, path)).map((finding) => `${file}: ${finding}`),
        ),
      }),
    },
    {
      title: 'Every node has a complete codex file',
      run: async () => ({
        findings: nodes.flatMap(({ file, made }) =>
          codexFindings(codexOf(file), `${manifest.name}.${made.description.name}`).map(
            (finding) => `${file.replace(/\.js$/, '.json')} ${finding}`,
          ),
        ),
      }),
    },
    {
      title: 'The README has the sections a user looks for, and names every operation, parameter and option',
      run: async () => ({ findings: readmeFindings(readme, words), extent: `${words.length} names` }),
    },
    {
      title: 'The documentation links of package.json, nodes and credential lead into the README',
      run: async () => ({
        findings: links
          .filter((link) => !leadsIntoReadme(link, manifest.homepage, readme))
          .map((link) => `${link} leads nowhere in the README`),
        extent: `${links.length} links`,
      }),
    },
    { title: "n8n's scanner, on the sources", run: async () => await scan(repositoryFolder) },
    { title: "n8n's scanner, on the packed tarball", run: async () => await scan(folder, '**/*.js', 'package.json') },
    { title: "n8n's own lint (n8n-node lint, strict mode)", run: async () => await lintAsN8n(say) },
  ];
}
