import { z } from 'zod';

const text = z.string().min(1);
const dist = z.string().regex(/^dist\/.+\.js$/);

const published = z.object({
  name: z.string().regex(/^(@[^/]+\/)?n8n-nodes-/),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  description: text,
  license: z.literal('MIT'),
  keywords: z
    .array(text)
    .refine((keywords) => keywords.includes('n8n-community-node-package'), 'has no n8n-community-node-package'),
  homepage: z.string().url(),
  author: z.object({ name: text, email: z.string().email() }),
  repository: z.object({ type: z.literal('git'), url: z.string().regex(/^git\+https:\/\/.+\.git$/) }),
  files: z.array(text).refine((files) => files.join() === 'dist', 'is not ["dist"]'),
  n8n: z.object({
    n8nNodesApiVersion: z.literal(1),
    strict: z.literal(true),
    credentials: z.array(dist).nonempty(),
    nodes: z.array(dist).nonempty(),
  }),
  peerDependencies: z.object({ 'n8n-workflow': z.literal('*') }).strict(),
});

/** A package.json that a package for n8n may have. */
export type Manifest = z.infer<typeof published>;

const forbiddenFields = [
  'dependencies',
  'optionalDependencies',
  'bundleDependencies',
  'bundledDependencies',
  'overrides',
  'resolutions',
];
const runByInstall = /^((pre|post)?install|(pre|post)?prepare|prepublish|dependencies)$/;

/** What n8n's verification would object to in a package.json. */
export function manifestFindings(manifest: Record<string, unknown>): string[] {
  const shape =
    published.safeParse(manifest).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
  const forbidden = forbiddenFields.filter((field) => field in manifest).map((field) => `${field}: must not be there`);
  const scripts = Object.keys(z.record(z.string()).catch({}).parse(manifest['scripts']))
    .filter((name) => runByInstall.test(name))
    .map((name) => `scripts.${name}: would run on the user's computer when the package is installed`);
  return [...shape, ...forbidden, ...scripts];
}

/** @throws when the package.json breaks a rule */
export function readManifest(content: string): Manifest {
  return published.parse(JSON.parse(content));
}
