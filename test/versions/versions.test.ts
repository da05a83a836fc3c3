import { n8nVersions } from '../../n8n-runner/versions.ts';
import { type TestInstance, startTestInstance, startTimeoutMs } from '../e2e/support/instance.ts';
import { describeChecks } from './checks.ts';

// The titles are the rows and columns of the compatibility table.
describe.each(n8nVersions())('n8n $version', ({ folder }) => {
  let instance: TestInstance;
  beforeAll(async () => {
    instance = await startTestInstance(undefined, folder);
  }, 2 * startTimeoutMs);
  afterAll(async () => await instance.stop());

  describeChecks(() => instance);
});
