import type { FaultEffect } from '../../emulator/index.ts';
import { compare, EACH_ONCE, idsOf, LOOK, MINUTE, type PollOutcome, SECOND, toText } from './outcome';
import { limited, useTrigger } from './triggerHarness';

const harness = useTrigger();

describe('the questions of a form', () => {
  const questions = ['Full name', 'Remarks'].map((label) => ({ label, kind: 'short_text' }));
  const watchForms = async (count: number) => {
    await harness.beginActive({ triggerOn: 'allActive', output: 'simplified', questions, count });
    harness.forms.forEach((id, nth) => harness.emulator.workspace.updateForm(id, { title: `Form ${nth}` }));
    await harness.pollFor(LOOK);
  };
  const submitAnswers = () => harness.submitToAll({ answers: { 'full-name': 'Jane' } });
  /** Every submission was delivered once, with the title of its form and the question that was skipped. */
  const expectComplete = (polls: PollOutcome[]) => {
    for (const { json } of polls.flatMap(({ items }) => items)) {
      const form_title = `Form ${harness.forms.indexOf(toText(json.form_id))}`;
      expect(json).toMatchObject({ form_title, answers: { 'Full name': 'Jane', Remarks: null } });
    }
    expect(compare(idsOf(polls), harness.submitted)).toEqual(EACH_ONCE);
  };

  it('are in every item of sixty forms with news on a slow service', async () => {
    await watchForms(60);
    harness.emulator.quirks.latencyMs = 3 * SECOND;
    submitAnswers();
    expectComplete(await harness.pollFor(5 * MINUTE));
  });

  it.each<[what: string, effect: FaultEffect]>([
    ['answers 503', { status: 503 }],
    ['answers 429', limited(50)],
    ['never answers', { hang: true }],
    // Such a 404 comes from a server in between.
    ['answers 404 with a web page', { status: 404, body: '<html>Not found</html>' }],
  ])('are waited for while the form %s, and no longer than until the next poll', async (_what, effect) => {
    await watchForms(3);
    const fix = harness.breakService(effect, new RegExp(`${harness.forms[1]}$`));
    submitAnswers();
    const first = await harness.pollNextMinute();
    expect(first.elapsedMs).toBeLessThanOrEqual(46 * SECOND);
    fix();
    expectComplete([first, await harness.pollNextMinute()]);
    await harness.expectEachOnce();
  });

  it.each([403, 404])('are not waited for when the form answers %i', async (status) => {
    await watchForms(1);
    harness.breakService({ status, body: { error: 'No' } }, /forms\/[^/]+$/);
    const [id] = submitAnswers();
    const { items } = await harness.pollNextMinute();
    expect(items.map(({ json }) => json)).toMatchObject([{ id, form_title: null }]);
  });
});
