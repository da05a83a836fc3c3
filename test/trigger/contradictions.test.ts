import type { IDataObject } from 'n8n-workflow';
import { jsonParse } from 'n8n-workflow';
import type { Scheduler } from '../support/engine';
import type { Transport } from './inProcess';
import { MINUTE } from './outcome';
import { begin, beginActive, harness } from './triggerHarness';

// A service that does not keep to its interface is reported, and nothing is lost.

/** Lets lists of submissions be answered otherwise. @param ignored what is not asked for */
const answerWith =
  (answer: (list: IDataObject) => IDataObject, ignored?: string): Transport =>
  async (options, send) => {
    if (!options.url.endsWith('/submissions')) return await send(options);
    const asked = Object.entries(options.qs ?? {}).filter(([name]) => name !== ignored);
    const response = (await send({ ...options, qs: Object.fromEntries(asked) })) as { body: Buffer };
    const body = answer(jsonParse<IDataObject>(response.body.toString()));
    return { ...response, body: Buffer.from(JSON.stringify(body)) };
  };

const reversed = (body: IDataObject) => ({ ...body, submissions: (body.submissions as IDataObject[]).toReversed() });
const withoutTotal = ({ submissions }: IDataObject) => ({ submissions, pagination: {} });
/** The first page of a list that came in one piece. */
const firstPage = (body: IDataObject) => ({ ...body, submissions: (body.submissions as IDataObject[]).slice(0, 100) });
const asItIs = (body: IDataObject) => body;

describe('a list', () => {
  it.each<[message: string, transport: Transport, scheduler: Scheduler]>([
    ["the list of submissions ignores 'order'", answerWith(reversed), 'memory'],
    ["the list of submissions ignores 'submitted_after'", answerWith(asItIs, 'submitted_after'), 'durable'],
    ["the list of submissions ignores 'page'", answerWith(firstPage, 'page'), 'scheduler'],
    ['the response has no total', answerWith(withoutTotal), 'memory'],
  ])(
    'fails the poll as "%s", and everything is delivered when it is right again',
    async (message, transport, scheduler) => {
      await begin({ scheduler });
      harness.insertMany(3, (nth) => ({ createdAt: harness.now - (60 + nth) * MINUTE }));
      await harness.activate();
      const past = harness.inserted.length;
      harness.advance(30 * MINUTE);
      // More than a page of one second.
      const at = harness.now - 10 * MINUTE;
      harness.insertMany(120, () => ({ createdAt: at }));
      harness.insert();
      const { transport: honest } = harness.inProcess;
      harness.inProcess.transport = transport;
      const polls = [await harness.pollNextMinute(), await harness.pollNextMinute(), await harness.pollNextMinute()];
      // What was read before is delivered.
      const failed = polls.filter(({ ids }) => ids === null);
      expect(failed.map(({ error }) => error?.message)).toContainEqual(expect.stringContaining(message));
      for (const { staticData, staticDataBefore } of failed) expect(staticData).toEqual(staticDataBefore);
      harness.inProcess.transport = honest;
      await harness.expectEachOnce(harness.inserted.slice(past));
    },
  );
});

it('a list that comes in one piece is read as it is', async () => {
  await beginActive();
  harness.inProcess.transport = answerWith(asItIs, 'page');
  harness.insertSpread(250, 100);
  expect((await harness.pollNextMinute()).ids).toEqual(harness.inserted);
});

it("fails a publication when the newest page ignores 'order'", async () => {
  await begin();
  harness.insertSpread(2, MINUTE);
  harness.inProcess.transport = answerWith(reversed);
  expect((await harness.activate()).error?.message).toContain("ignores 'order'");
});
