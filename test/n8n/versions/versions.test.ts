import { versions } from '../../../n8n-runner/install.ts';
import { useRunningN8n, useTestInstance } from '../e2e/support/instance.ts';
import { describeChecks } from './checks.ts';

/** An n8n to check instead. It must reach the loopback of this computer. */
const { RUNNING_N8N: url } = process.env;

if (url) describe(`the n8n at ${url}`, () => describeChecks(useRunningN8n(url)));
// The suite `e2e` makes the same checks in the newest.
else describe.each(versions.slice(0, -1))('n8n $n8n', (version) => describeChecks(useTestInstance({ version })));
