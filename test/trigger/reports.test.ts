import type { INodeParameters } from 'n8n-workflow';

import { HOUR, MINUTE, SECOND } from './outcome';
import { DOWN, FORBIDDEN, limited, type Setting, useTrigger } from './triggerHarness';

const harness = useTrigger();

it('a broken form among several is reported and stops no other form: what it missed is delivered later', async () => {
  await harness.beginActive({ triggerOn: 'allActive' });
  const fix = harness.breakService(FORBIDDEN, harness.forms[1]);
  await harness.pollNextMinute(harness.submitToAll);
  expect(harness.workflow.reported).toMatchObject([{ message: expect.stringContaining('1 of 3 forms') as unknown }]);
  expect(harness.delivered.toSorted()).toEqual([0, 2].map((nth) => harness.submitted[nth]).toSorted());
  // A clock that is set back repeats a report.
  harness.time.skew = -2 * HOUR;
  await harness.pollNextMinute(() => harness.submit({ form: 0 }));
  expect(harness.workflow.reported).toHaveLength(2);
  fix();
  await harness.expectEachOnce();
});

it('a broken form is reported once an hour, although the service gives the reason in other words each time', async () => {
  await harness.beginActive({ triggerOn: 'allActive' });
  for (let minute = 0; minute <= 120; minute++) {
    const body = { error: `Not allowed (request ${minute})` };
    const fix = harness.breakService({ status: 403, body }, `${harness.forms[1]}/`);
    await harness.pollNextMinute(harness.submitToAll);
    fix();
  }
  const reports = harness.workflow.reported.map(({ message }) => /request \d+/.exec(message)?.[0]);
  expect(reports).toEqual(['request 0', 'request 60', 'request 120']);
});

describe('a report names a form', () => {
  const expectReport = async (named = '') => {
    await harness.pollNextMinute(harness.submitToAll);
    const message = `1 of 3 forms could not be read: ${named}: Not allowed`;
    expect(harness.workflow.reported).toMatchObject([{ message }]);
  };

  it.each<[name: string, title: string, triggerOn: Setting['triggerOn'], named: string]>([
    ['its title on one line, then its ID', ' Another\n  form ', 'allActive', 'Another form (ID)'],
    ['the same with Several Forms', 'Another form', 'several', 'Another form (ID)'],
    ['its ID alone where the title is blank', ' \n', 'allActive', 'ID'],
    // n8n replaces a message that contains EEXIST.
    ['a title that contains an error code', 'Preexisting', 'allActive', 'Preexisting (ID)'],
    ['a title without the API key', 'Key KEY', 'allActive', 'Key [API key] (ID)'],
  ])('by %s', async (_, title, triggerOn, named) => {
    await harness.beginActive({ triggerOn });
    const [, id = ''] = harness.forms;
    harness.emulator.workspace.updateForm(id, { title: title.replace('KEY', harness.emulator.apiKey) });
    harness.breakService(FORBIDDEN, `${id}/`);
    await expectReport(named.replace('ID', id));
  });

  it('by its ID alone while the list of forms cannot be read', async () => {
    await harness.beginActive({ triggerOn: 'several' });
    harness.breakService(DOWN, /\/forms$/);
    harness.breakService(FORBIDDEN, `${harness.forms[1]}/`);
    await expectReport(harness.forms[1]);
  });
});

it('a report counts forms that are new, or that the list lacks, and says what becomes of the others', async () => {
  await harness.beginActive({ triggerOn: 'allActive' });
  const [first, second, third = ''] = harness.forms;
  harness.hideFromList([third]);
  harness.addForm();
  harness.breakService(FORBIDDEN, new RegExp(`(${first}|${second})/`));
  await harness.pollNextMinute(harness.submitToAll);
  const message = /^2 of 4 forms could not be read: [^;]+: Not allowed; [^;]+: Not allowed$/;
  const description =
    'No submission of these is lost: they follow when the forms can be read again, and the other forms are not held back. If you chose the forms, remove one that no longer exists.';
  expect(harness.workflow.reported).toMatchObject([
    { message: expect.stringMatching(message) as unknown, description },
  ]);
});

describe('with On Error set to the error output', () => {
  const onErrorOutput: Setting = { onError: 'continueErrorOutput' };
  const pollOutputs = async () => (await harness.pollNextMinute()).outputs;
  const errorItem = (message: string) => [[], [{ error: expect.stringContaining(message) as unknown }]];

  it('a failing poll emits one item with the error on that output, and the next good one delivers', async () => {
    await harness.beginActive(onErrorOutput);
    const stop = harness.breakService(DOWN);
    const id = harness.submit();
    const before = harness.workflow.staticDataOf();
    expect(await pollOutputs()).toEqual(errorItem('Down for maintenance'));
    expect(harness.workflow.staticDataOf()).toEqual(before);
    stop();
    expect(await pollOutputs()).toEqual([[expect.objectContaining({ id })], []]);
  });

  it('a broken form among several is an item on that output beside the submissions of the others', async () => {
    await harness.beginActive({ ...onErrorOutput, triggerOn: 'allActive' });
    harness.breakService(FORBIDDEN, harness.forms[1]);
    const [id] = harness.submitToAll();
    const outputs = await pollOutputs();
    expect(outputs).toEqual([
      expect.arrayContaining([expect.objectContaining({ id })]),
      ...errorItem('1 of 3 forms').slice(1),
    ]);
    expect(harness.workflow.reported).toEqual([]);
  });

  it('a service that says "429 Retry-After" again and again is one item an hour', async () => {
    await harness.beginActive({ ...onErrorOutput });
    harness.breakService(limited(90));
    const times: number[] = [];
    for (const end = harness.now + 4 * HOUR; harness.now < end;) {
      const outputs = await pollOutputs();
      if (outputs === null) continue;
      expect(outputs).toEqual(errorItem(''));
      times.push(harness.now);
    }
    const apart = times.slice(1).map((time, nth) => (time - (times[nth] ?? 0)) / MINUTE);
    expect(apart).toEqual([60, 60, 60]);
  });

  // An expression may give a wrong value at any time, and another one in each poll.
  const chooseWrongly = () => {
    const { parameters } = harness.workflow.nodeOf();
    harness.workflow.change({ parameters: { ...parameters, options: { maxSubmissions: `many: ${harness.now}` } } });
  };
  const unusable: Array<[what: string, spoil: () => void, message: string]> = [
    ['a parameter with a wrong value', chooseWrongly, "'Max Submissions per Poll' is not a number"],
    [
      'a credential that leads to no workspace',
      () => void (harness.credentials.here.baseUrl = 'ftp://x'),
      "'Base URL'",
    ],
    ['a credential that is gone', () => void Reflect.deleteProperty(harness.credentials, 'here'), 'no credential'],
  ];

  it.each(unusable)('%s is one item an hour, and then nothing is lost', async (_, spoil, message) => {
    await harness.beginActive({ ...onErrorOutput, scheduler: 'scheduler' });
    const { parameters } = harness.workflow.nodeOf();
    const here = { ...harness.credentials.here };
    const outputs: unknown[] = [];
    for (let minute = 0; minute <= 120; minute++) {
      spoil();
      outputs.push(await pollOutputs());
    }
    const item = errorItem(message);
    expect(outputs).toEqual(outputs.map((_output, minute) => (minute % 60 === 0 ? item : null)));
    harness.submit();
    harness.credentials.here = here;
    harness.workflow.change({ parameters });
    await harness.expectEachOnce();
  });

  it('each failure is one item an hour, whatever else fails meanwhile, and whatever the words of the service', async () => {
    await harness.beginActive({ ...onErrorOutput, scheduler: 'scheduler' });
    const { parameters } = harness.workflow.nodeOf();
    const statuses = [401, 403, 404, 500, 503];
    const messages = [...statuses.map((status) => `Status ${status}`), "'Max Submissions per Poll'"];
    const pollEach = async () => {
      const outputs: unknown[] = [];
      harness.advance(SECOND);
      for (const status of statuses) {
        const fix = harness.breakService({ status, body: { error: `Status ${status} at ${harness.now}` } });
        outputs.push(await pollOutputs());
        fix();
      }
      chooseWrongly();
      outputs.push(await pollOutputs());
      harness.workflow.change({ parameters });
      return outputs;
    };
    expect(await pollEach()).toEqual(messages.map(errorItem));
    expect(await pollEach()).toEqual(messages.map(() => null));
    harness.advance(HOUR);
    expect(await pollEach()).toEqual(messages.map(errorItem));
  });

  it('each wrong parameter is one item an hour, whatever its value is', async () => {
    await harness.beginActive({ ...onErrorOutput, scheduler: 'scheduler' });
    const pollWith = async (options: INodeParameters) => {
      harness.workflow.change({ parameters: { ...harness.parameters(), options } });
      return await pollOutputs();
    };
    expect(await pollWith({ maxSubmissions: 'all' })).toEqual(
      errorItem("'Max Submissions per Poll' is not a number: all"),
    );
    expect(await pollWith({ startFrom: 'never' })).toEqual(errorItem("'Start From' is not a date: never"));
    expect(await pollWith({ startFrom: 'always' })).toBeNull();
  });

  it.each(unusable)('%s fails a publication, the start of n8n and the test event', async (_, spoil, message) => {
    await harness.beginActive(onErrorOutput);
    spoil();
    for (const mode of ['activate', 'init', 'update'] as const)
      expect((await harness.activate(mode)).error?.message).toContain(message);
    expect((await harness.fetchTestEvent()).error?.message).toContain(message);
  });

  it('an activation that fails is refused all the same', async () => {
    await harness.begin(onErrorOutput);
    harness.breakService(DOWN);
    expect((await harness.activate()).error?.message).toContain('Down for maintenance');
  });
});

it('with On Error set to Continue, a failing poll fails all the same, and gives the workflow no item', async () => {
  await harness.beginActive({ onError: 'continueRegularOutput' });
  harness.breakService(DOWN);
  expect(await harness.pollNextMinute()).toMatchObject({ outputs: null, error: { httpCode: '503' } });
});

it('a form of which something was read is not reported', async () => {
  await harness.beginActive({ triggerOn: 'allActive' });
  harness.advance(MINUTE);
  const ids = harness.submitSpread(150, 100, harness.forms[1]);
  harness.emulator.fail({ when: { path: new RegExp(harness.forms[1] ?? ''), nth: 2 }, with: FORBIDDEN });
  expect((await harness.poll()).ids).toEqual(ids.slice(0, 100));
  expect(harness.workflow.reported).toEqual([]);
  await harness.expectEachOnce();
});

it('names all forms that never answer, also those to which the time of the poll did not suffice', async () => {
  await harness.beginActive({ triggerOn: 'allActive', count: 13 });
  for (const id of harness.forms.slice(1)) harness.breakService({ hang: true }, id);
  await harness.pollNextMinute(harness.submitToAll);
  expect(harness.workflow.reported).toMatchObject([{ message: expect.stringMatching(/^12 of 13 forms/) as unknown }]);
});

it('names the forms beyond the twentieth in the next report', async () => {
  await harness.beginActive({ triggerOn: 'several', count: 23 });
  for (const id of harness.forms.slice(1)) harness.breakService(DOWN, id);
  const polls = await harness.pollFor(2 * MINUTE, harness.submitToAll);
  expect(polls).toHaveLength(2);
  const reports = harness.workflow.reported.map(({ message }) => message);
  expect(reports.map((report) => harness.forms.filter((id) => report.includes(id)).length)).toEqual([20, 2]);
});
