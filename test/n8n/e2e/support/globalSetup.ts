import { ensureN8n } from '../../../../n8n-runner/install.ts';
import prepareInstance from '../../../support/engine/instanceSetup.ts';

/** Runs once before all suites: several of them must not install n8n at the same time. */
export default async function prepareInstances(): Promise<void> {
  prepareInstance();
  if (!process.env['RUNNING_N8N']) await ensureN8n();
}
