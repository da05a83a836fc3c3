import type { INodeParameters } from 'n8n-workflow';
import { substance } from './outcome';
import { begin, beginActive, harness } from './triggerHarness';

it('Max File Size is accepted as anything while Download Files is off', async () => {
  await beginActive({ options: { maxFileSizeMb: 0 } });
  harness.insert();
  await harness.expectEachOnce();
});

it.each<[INodeParameters, string]>([
  [{ options: { downloadFiles: true, maxFileSizeMb: 0 } }, "'Max File Size"],
  [{ options: { downloadFiles: true, maxFileSizeMb: 'large' } }, "'Max File Size"],
  [{ options: { maxSubmissions: 0 } }, "'Max Submissions per Poll'"],
  [{ options: { maxSubmissions: 'all' } }, "'Max Submissions per Poll'"],
  [{ options: { startFrom: 'yesterday-ish' } }, "'Start From'"],
  [{ options: { startFrom: '2026-03-01T14:00:00' } }, "'Start From' is in the future: 2026-03-01T14:00"],
  [{ triggerOn: 'several', formIds: [] }, "'Forms' is empty"],
  [{ triggerOn: 'several', formIds: ['..'] }, "'Forms' is not an ID"],
])('a parameter is refused before a request, named, and with nothing stored: %j', async (parameters, message) => {
  await begin({ parameters });
  const { error, requests, staticData } = await harness.activate();
  expect(error?.message).toContain(message);
  expect([requests, substance(staticData)]).toEqual([[], []]);
});
