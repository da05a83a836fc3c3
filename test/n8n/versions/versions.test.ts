import { versions } from '../../../n8n-runner/install.ts';
import { useTestInstance } from '../e2e/support/instance.ts';
import { describeChecks } from './checks.ts';

describe.each(versions)('n8n $n8n', (version) => {
  describeChecks(useTestInstance({ version }));
});
