import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { z } from 'zod';

import { repositoryFolder } from '../n8n-runner/paths.ts';
import type { Verdict } from './checklist.ts';

const report = z.object({
  passed: z.boolean(),
  message: z.string().optional(),
  files: z.number().positive(),
  findings: z.array(z.string()),
});

/** Runs n8n's scanner over a folder; without patterns, over what it scans of the sources. */
export async function scan(folder: string, ...patterns: string[]): Promise<Verdict> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(repositoryFolder, 'verify', 'scan.mjs'), folder, ...patterns],
    {
      env: { ...process.env, NODE_ENV: 'production' },
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  const { passed, message, files, findings } = report.parse(JSON.parse(stdout));
  const verdict = passed || findings.length > 0 ? [] : [message ?? 'did not pass'];
  return { findings: [...findings, ...verdict], extent: `${files} files` };
}
