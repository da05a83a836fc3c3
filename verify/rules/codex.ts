import { z } from 'zod';

/** The groups of n8n's node panel. */
const categories = [
  'Analytics',
  'Communication',
  'Data & Storage',
  'Development',
  'Finance & Accounting',
  'Marketing & Content',
  'Miscellaneous',
  'Productivity',
  'Sales',
  'Utility',
] as const;

const links = z.array(z.object({ url: z.string().url().startsWith('https://') })).nonempty();
const shape = z
  .object({
    node: z.string(),
    nodeVersion: z.string().regex(/^\d+\.\d+$/),
    codexVersion: z.literal('1.0'),
    categories: z.array(z.enum(categories)).nonempty(),
    // Without it n8n drops the whole file and says nothing.
    resources: z.object({ credentialDocumentation: links, primaryDocumentation: links }).strict(),
    alias: z.array(z.string().min(1)).nonempty(),
  })
  .strict();

/** What to object to in a codex file; undefined is a file that is not there. */
export function codexFindings(content: string | undefined, nodeType: string): string[] {
  if (content === undefined) return ['is not there'];
  const codex = shape.safeParse(JSON.parse(content));
  if (!codex.success) return codex.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  return codex.data.node === nodeType ? [] : [`node: is ${codex.data.node}, not ${nodeType}`];
}

/** The addresses that a codex file sends a user to. */
export function codexLinks(content: string): string[] {
  const { credentialDocumentation, primaryDocumentation } = shape.parse(JSON.parse(content)).resources;
  return [...credentialDocumentation, ...primaryDocumentation].map(({ url }) => url);
}
