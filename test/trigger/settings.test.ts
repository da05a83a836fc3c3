import { SECOND, START } from './harness';
import { begin as beginForm, beginActive, expectEachOnce, harness, submit, type Setting } from './setup';

type Options = Record<string, number | string | boolean>;

describe('an option', () => {
  /** The first poll with these options. */
  const activateWith = async (options: Options) => {
    await beginForm({ transport: 'inject', options });
    return await harness.activate();
  };

  it.each<Options>([{ maxFileSize: 0 }, { lookback: 0 }, { lookback: 0.5 }, { lookback: 60 }, { lookback: 1_440 }])(
    'is accepted in range, and Max File Size as anything while Download Files is off: %j',
    async (options) => {
      expect((await activateWith(options)).error).toBeUndefined();
      harness.insert();
      await expectEachOnce();
    },
  );

  it.each<[Options, string]>([
    [{ downloadFiles: true, maxFileSize: 0 }, 'Max File Size'],
    [{ downloadFiles: true, maxFileSize: 'large' }, 'Max File Size'],
    [{ lookback: Infinity }, 'Look-Back'],
    [{ lookback: NaN }, 'Look-Back'],
    [{ lookback: -1 }, 'Look-Back'],
    [{ lookback: 'soon' }, 'Look-Back'],
    [{ lookback: 1e12 }, 'Look-Back'],
    [{ maxSubmissions: 0 }, 'Max Submissions'],
    [{ maxSubmissions: 'all' }, 'Max Submissions'],
    [{ startFrom: 'yesterday-ish' }, 'Start From'],
  ])('is refused before a request, and named: %j', async (options, label) => {
    const { error, requests } = await activateWith(options);
    expect(error?.message).toContain(`'${label}`);
    expect(requests).toEqual([]);
  });
});

describe('Fetch Test Event', () => {
  const questions = [
    { label: 'Full name', kind: 'short_text' },
    { label: 'Files', kind: 'file_upload' },
  ];
  const begin = async (setting?: Setting) => {
    await beginForm({ output: 'simplified', ...setting });
    harness.emulator.workspace.updateForm(harness.formId, { questions });
  };
  const fetchTestEvent = async () => await harness.poll({ mode: 'manual' });

  it.each(['one', 'several', 'active'] as const)(
    'shows the newest submission of them all, and changes nothing (Watch: %s)',
    async (watch) => {
      await beginActive({ watch });
      const place = (nth: number) => (watch === 'one' ? 0 : nth);
      submit(place(0), { createdAt: START });
      const newest = submit(place(1), { createdAt: START + SECOND });
      submit(place(2), { createdAt: START });
      harness.advance(SECOND);
      const { ids, staticData, staticDataBefore } = await fetchTestEvent();
      expect(ids).toEqual([newest]);
      expect(staticData).toEqual(staticDataBefore);
      await harness.pollUntilEmpty();
      expect(harness.delivered.slice(1).toSorted()).toEqual(harness.inserted.toSorted());
    },
  );

  it.each(['simplified', 'row', 'raw'])(
    'shows a sample made from the questions of a form without a submission, marked as a sample (%s)',
    async (output) => {
      await begin({ output });
      const { items, staticData } = await fetchTestEvent();
      expect(items).toHaveLength(1);
      const text = JSON.stringify(items);
      for (const { label } of questions) expect(text).toContain(label);
      expect(text).toMatch(/sample/i);
      expect(Object.values(staticData)).toEqual([{}]);
    },
  );

  it('shows one sample for several forms without a submission, and none as soon as one of them has one', async () => {
    await begin({ transport: 'inject', watch: 'active' });
    const { items } = await fetchTestEvent();
    expect(items).toHaveLength(1);
    expect(JSON.stringify(items)).toMatch(/sample/i);
    const id = submit(1);
    expect((await fetchTestEvent()).ids).toEqual([id]);
  });

  it('never lets a sample count as delivered: the first submission starts the workflow', async () => {
    await begin();
    await fetchTestEvent();
    await harness.activate();
    const id = harness.insert();
    expect((await harness.pollNextMinute()).ids).toEqual([id]);
  });

  it('fails with what to do when the workspace has no active form', async () => {
    await begin({ transport: 'inject', watch: 'active', count: 1 });
    harness.emulator.workspace.updateForm(harness.formId, { isArchived: true });
    expect((await fetchTestEvent()).error).toMatchObject({
      message: 'The workspace has no active form',
      description: 'Create a form in NeetoForm, then fetch a test event again.',
    });
  });

  it('fails with the reason when the form cannot be read', async () => {
    await begin();
    harness.emulator.fail({ with: { status: 404, body: { error: 'Form does not exist.' } } });
    expect((await fetchTestEvent()).error?.message).toBe('Form not found');
  });
});
