/**
 * Usage: node loadNodes.ts <node_modules>. Loads every node that n8n offers, and what these load only while they run. Fails with a list of what is
 * missing, which n8n itself would notice only when somebody executes such a node.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';

import { z } from 'zod';

const [, , folderOfPackages = ''] = process.argv;
// As Node.js names the files that it has loaded.
const modules = realpathSync(folderOfPackages);
const folders = ['n8n-nodes-base', '@n8n/n8n-nodes-langchain'].map((name) => join(modules, name, 'dist') + sep);

/** Only version 2 of the Kafka nodes uses it. Its install script, which does not run, downloads a library from another host or compiles it. */
const NOT_INSTALLED = '@confluentinc/kafka-javascript';

/** What code loads at its beginning or in a function, such as `await import('tar')`. */
const LOADED = /\b(?:require|import)\(\s*['"]([^'"$]+)['"]\s*\)/g;

const nodeList = z.record(z.string(), z.object({ className: z.string(), sourcePath: z.string() }));
const classes = z.record(z.string(), z.unknown());

const files = new Set<string>();
const failures = new Set<string>();

/** Loads a module, and then everything that the files of n8n's nodes below it load. */
function load(name: string, from: string): unknown {
  const require = createRequire(from);
  const file = require.resolve(name);
  const exported: unknown = require(file);
  if (files.has(file) || !folders.some((folder) => file.startsWith(folder))) return exported;
  files.add(file);
  for (const [, next = ''] of readFileSync(file, 'utf8').matchAll(LOADED)) {
    if (next !== NOT_INSTALLED) attempt(relative(modules, file), () => load(next, file));
  }
  return exported;
}

function attempt(what: string, run: () => unknown): void {
  try {
    run();
  } catch (error) {
    failures.add(`${what}: ${String(error).split('\n', 1).join('')}`);
  }
}

let count = 0;
for (const folder of folders) {
  const nodes = nodeList.parse(JSON.parse(readFileSync(join(folder, 'known/nodes.json'), 'utf8')));
  for (const [name, { className, sourcePath }] of Object.entries(nodes)) {
    count += 1;
    attempt(name, () => {
      const Node = classes.parse(load(`../${sourcePath}`, folder))[className];
      if (typeof Node !== 'function') throw new Error(`There is no class ${className}`);
      Reflect.construct(Node, []);
    });
  }
}
if (failures.size > 0) console.error(`Of ${count} nodes, some cannot be loaded:\n${[...failures].join('\n')}`);
// Some modules have begun to wait for something.
process.exit(failures.size > 0 ? 1 : 0);
