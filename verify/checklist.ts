/** A step of the verification. */
export interface Check {
  title: string;
  /** Gives what there is to object to, and maybe how much was looked at. */
  run: () => Promise<Verdict>;
}

export interface Verdict {
  findings: string[];
  /** How much was looked at. */
  extent?: string;
}

/** Runs the checks in turn, says how each went, and gives the number of those that did not pass. */
export async function runChecklist(checks: Check[], say: (line: string) => void): Promise<number> {
  let failed = 0;
  for (const { title, run } of checks) {
    const { findings, extent } = await run().catch((error: unknown): Verdict => ({
      findings: [error instanceof Error ? error.message : String(error)],
    }));
    say(`${findings.length === 0 ? '✓' : '✗'} ${title}${extent === undefined ? '' : ` (${extent})`}`);
    for (const finding of findings) say(finding.replace(/^/gm, '    '));
    if (findings.length > 0) failed++;
  }
  say(
    failed === 0
      ? `\nAll ${checks.length} checks passed, without an error or a warning.`
      : `\n${failed} of ${checks.length} checks did not pass.`,
  );
  return failed;
}
