import { versions } from '../../../n8n-runner/install.ts';
import { type TestInstance, startTestInstance, startTimeoutMs } from '../e2e/support/instance.ts';
import { describeChecks } from './checks.ts';

// The titles are the rows and columns of the compatibility table.
describe.each(versions)('n8n $n8n', (version) => {
  let instance: TestInstance;
  beforeAll(async () => {
    instance = await startTestInstance({ version });
  }, startTimeoutMs);
  afterAll(async () => await instance.stop());

  describeChecks(() => instance);
});
