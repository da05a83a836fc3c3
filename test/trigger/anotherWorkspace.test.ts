import { DAY, SECOND } from './outcome';
import { useTrigger } from './triggerHarness';

const harness = useTrigger();

describe.each(['memory', 'durable', 'scheduler'] as const)('with state kept as n8n does it (%s)', (scheduler) => {
  it.each([
    ['a minute', 0],
    ['a month', 31 * DAY],
  ])(
    'fails each poll, %s apart, while the credential leads to another workspace, and loses nothing',
    async (_, apart) => {
      await harness.beginActive({ scheduler });
      await harness.pollNextMinute(() => harness.submit());
      const { here, elsewhere } = harness.credentials;
      harness.credentials.here = elsewhere;
      for (let nth = 0; nth < 3; nth++) {
        harness.advance(apart);
        const { error, staticData, staticDataBefore, requests } = await harness.pollNextMinute(() => harness.submit());
        expect(error).toMatchObject({ description: expect.stringContaining('Unpublish the workflow') as unknown });
        expect([staticData, requests]).toEqual([staticDataBefore, []]);
      }
      expect((await harness.restart())?.error).toBeUndefined();
      expect((await harness.pollNextMinute()).error?.message).toContain('another workspace');
      harness.credentials.here = here;
      await harness.expectEachOnce();
    },
  );

  it('starts in another workspace with its new submissions when it is unpublished and published there', async () => {
    await harness.beginActive({ scheduler, options: { startFrom: '2026-02-01' } });
    harness.submit();
    harness.credentials.here = harness.credentials.elsewhere;
    // n8n leaves an unchanged trigger alone, whose credential has another content now.
    await harness.activate('update');
    expect((await harness.pollNextMinute()).error?.message).toContain('another workspace');
    harness.workflow.unpublish();
    expect(await harness.activate('update')).toMatchObject({ error: undefined, ids: null });
    await harness.expectEachOnce([harness.submit({ createdAt: harness.now + SECOND })]);
  });

  it('starts in another workspace when it is published with a credential of that', async () => {
    await harness.beginActive({ scheduler });
    harness.submit();
    const { credentials = {} } = harness.workflow.nodeOf();
    const elsewhere = { id: 'elsewhere', name: 'Credential of another workspace' };
    harness.workflow.change({
      credentials: Object.fromEntries(Object.keys(credentials).map((type) => [type, elsewhere])),
    });
    expect(await harness.activate('update')).toMatchObject({ error: undefined, ids: null });
    await harness.expectEachOnce([harness.submit({ createdAt: harness.now + SECOND })]);
  });
});

it('a server with a port stays the same workspace, and one with another port is another', async () => {
  await harness.begin();
  const { here } = harness.credentials;
  harness.credentials.here = { ...here, baseUrl: `${here.baseUrl}:8443` };
  await harness.activate();
  const id = harness.submit();
  expect((await harness.pollNextMinute()).ids).toEqual([id]);
  harness.credentials.here = { ...here, baseUrl: `${here.baseUrl}:8444` };
  expect((await harness.pollNextMinute()).error?.message).toContain('another workspace');
});
