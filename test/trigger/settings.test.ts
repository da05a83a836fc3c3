import type { INodeParameters } from 'n8n-workflow';
import { substance } from './outcome';
import { type Setting, useTrigger } from './triggerHarness';

const harness = useTrigger();

it('Max File Size is accepted as anything while Download Files is off', async () => {
  await harness.beginActive({ options: { maxFileSizeMb: 0 } });
  harness.submit();
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
  await harness.begin({ parameters });
  const { error, requests, staticData } = await harness.activate();
  expect(error?.message).toContain(message);
  expect([requests, substance(staticData)]).toEqual([[], []]);
});

it.each<[INodeParameters, string]>([
  [{ triggerOn: 'several', formIds: [] }, "Choose at least one form, or set 'Trigger On' to Whole Workspace."],
  [
    { options: { startFrom: '2026-03-01T14:00:00' } },
    "Enter a time in the past, or remove the option to start with new submissions. A time without a time zone is read in the workflow's time zone; a date alone means 00:00 UTC.",
  ],
])('a refused parameter comes with what to enter: %j', async (parameters, description) => {
  await harness.begin({ parameters });
  expect((await harness.activate()).error).toMatchObject({ description });
});

describe('a question to include that is deleted in NeetoForm', () => {
  const including = (...questionsToInclude: string[]): Setting => ({
    output: 'simplified',
    questions: [{ label: 'Name', slug: 'name' }],
    options: { questionsToInclude, startFrom: '2026-02-01' },
  });
  const submit = () => harness.submit({ answers: { name: 'Ada' } });

  it.each([
    [['name', 'age'], { Name: 'Ada' }],
    [['age'], {}],
  ])('is left out by a publication and by each poll: of %j, an item has the answers %j', async (chosen, answers) => {
    await harness.begin(including(...chosen));
    submit();
    const outcomes = [await harness.activate(), await harness.pollNextMinute(submit)];
    const made = outcomes.map(({ error, items }) => [error, ...items.map(({ json }) => json.answers)]);
    expect(made).toEqual([
      [undefined, answers],
      [undefined, answers],
    ]);
  });

  it.each([true, false])('is refused by name in the test event (with a submission: %s)', async (hasSubmission) => {
    await harness.begin(including('name', 'age'));
    if (hasSubmission) submit();
    const { error } = await harness.fetchTestEvent();
    expect(error?.message).toBe("'Questions to Include' names what is no question of this form: age");
  });

  it.each([true, false])('does not matter in raw output (with a submission: %s)', async (hasSubmission) => {
    await harness.begin({ ...including('name', 'age'), output: 'raw' });
    if (hasSubmission) submit();
    expect((await harness.fetchTestEvent()).items).toHaveLength(1);
  });
});
