import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(__dirname, '../..');

interface Violation {
  from: string;
  to: string;
  rule: { name: string };
}

function violationsIn(folder: string): Violation[] {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/.bin/depcruise'),
      '--config',
      join(root, '.dependency-cruiser.cjs'),
      '--output-type',
      'json',
      '.',
    ],
    { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (stdout === '') throw new Error(`dependency-cruiser said nothing but: ${stderr}`);
  const { summary } = JSON.parse(stdout) as { summary: { violations: Violation[] } };
  return summary.violations;
}

describe('the arrows between the rooms of the house', () => {
  it('are kept by every import in the repository', () => {
    expect(violationsIn(root).map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)).toEqual([]);
  });
});

describe('an import against the arrows', () => {
  const room = 'nodes/NeetoForm';
  const forbidden: Array<[file: string, content: string, rule: string]> = [
    [`${room}/NeetoForm.node.ts`, "import './polling/poll';", 'from-neetoform-node'],
    [`${room}/NeetoFormTrigger.node.ts`, "import './routing/send';", 'from-neetoformtrigger-node'],
    [`${room}/resources/form/get.ts`, "import '../../api/request';", 'from-resources'],
    [`${room}/fields/formLocator.ts`, "import '../api/request';", 'from-fields'],
    [`${room}/listSearch/searchForms.ts`, "import '../routing/send';", 'from-listsearch'],
    [`${room}/routing/send.ts`, "import '../polling/poll';", 'from-routing'],
    [`${room}/polling/poll.ts`, "import '../routing/page';", 'from-polling'],
    [`${room}/routing/page.ts`, "import '../resources/form/get';", 'from-routing'],
    [`${room}/files/archive.ts`, "import '../routing/page';", 'from-files'],
    [`${room}/submissions/zip.ts`, "import '../files/archive';", 'from-submissions'],
    [`${room}/submissions/answers.ts`, "import type { Row } from '../api/request'; export type { Row };", 'from-submissions'],
    [`${room}/submissions/flatten.ts`, "import { sleep } from 'n8n-workflow'; void sleep;", 'submissions-are-pure'],
    [`${room}/api/request.ts`, "import '../fields/formLocator'; export interface Row { id: string }", 'from-api'],
    [`${room}/api/pages.ts`, "import 'axios';", 'shipped-code-needs-n8n-only'],
    [`${room}/api/files.ts`, "import 'node:fs';", 'shipped-code-needs-n8n-only'],
    [`${room}/api/retry.ts`, "import '../../../test/support/clock';", 'nobody-imports-test'],
    [`${room}/utils/misc.ts`, "import 'n8n-workflow';", 'every-file-has-a-room'],
    [`${room}/api/unused.ts`, "import 'n8n-workflow';", 'no-dead-files'],
    [`${room}/api/lonely.ts`, 'export {};', 'no-orphans'],
    ['credentials/NeetoFormApi.credentials.ts', `import '../${room}/api/request';`, 'from-credentials'],
    ['emulator/index.ts', `import type { Row } from '../${room}/api/request'; export type { Row };`, 'emulator-stands-alone'],
    ['n8n-host/start.ts', "import '../emulator/index';", 'host-stands-alone'],
    ['emulator/routes.ts', "import '../demo/start';", 'nobody-imports-demo'],
    ['demo/start.ts', "import '../benchmarks/load';", 'nobody-imports-benchmarks'],
    ['test/support/clock.ts', "import './time';", 'no-circles'],
    ['test/support/time.ts', "import './clock';", 'no-circles'],
    ['benchmarks/load.ts', "import './nowhere';", 'no-unresolvable'],
  ];
  const allowed = [`${room}/submissions/row.ts`, "import type { IDataObject } from 'n8n-workflow'; export type Row = IDataObject;"] as const;
  let folder: string;
  let violations: Violation[];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'arrows-'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const [file, content] of [...forbidden, allowed]) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), content);
    }
    violations = violationsIn(folder);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const brokenBy = (file: string) => violations.filter(({ from, to }) => from === file || to === file).map(({ rule }) => rule.name);

  it.each(forbidden)('is refused: %s with %s', (file, _content, rule) => {
    expect(brokenBy(file)).toContain(rule);
  });

  it('is not what a pure file does that uses a type of n8n', () => {
    expect(brokenBy(allowed[0])).toEqual(['no-dead-files']);
  });
});
