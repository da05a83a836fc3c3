import type { INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import {
  errorOutput,
  failedFormsReport,
  forgetFailedPolls,
  report,
  lostReport,
} from '../../nodes/NeetoForm/polling/reports';
import type { PollSession } from '../../nodes/NeetoForm/polling/session';
import { placeholderNode } from '../support/engine/workflow';
import { words } from '../support/words';
import { pollSession } from './pollSession';

const MINUTE = 60_000;

let now: number;
let node: INode;
let emitted: Error[];
let session: PollSession;

const newSession = () => pollSession({ node, now: () => now, report: (error) => emitted.push(error) });

beforeEach(() => {
  [now, emitted] = [0, []];
  node = placeholderNode();
  session = newSession();
});

const failure = (message = 'Not allowed') => new NodeOperationError(node, message);
const failed = (formIds: string[], message?: string, of = session) =>
  failedFormsReport(
    of,
    formIds.map((formId) => ({ formId, failure: failure(message) })),
    9,
  );

describe('forms that could not be read', () => {
  it('are named with their failures and what to do, twenty at a time', () => {
    const formIds = Array.from({ length: 23 }, (_, index) => `form-${index}`);
    const named = formIds.map((formId) => `${formId} (Not allowed)`);
    expect(failed(formIds)).toMatchObject({
      message: `23 of 9 forms could not be read: ${named.slice(0, 20).join('; ')}`,
      description: expect.stringMatching(
        /No submission of these is lost.* If you chose the forms, remove one that no longer exists/,
      ) as unknown,
    });
    expect(failed(formIds)?.message).toContain(named.slice(20).join('; '));
    expect(failed(formIds)).toBeUndefined();
  });

  it.each<[what: string, later: () => unknown, isReported: boolean]>([
    ['a minute later', () => (now += MINUTE), false],
    ['an hour later', () => (now += 60 * MINUTE), true],
    ['after the clock was set back by an hour', () => (now -= 60 * MINUTE), true],
    ['after a poll in which they could be read', () => failedFormsReport(session, [], 9), false],
  ])('are reported again: %s', (_, later, isReported) => {
    expect(failed(words('a b'))).toBeDefined();
    later();
    expect(failed(words('a b'), 'Other words') !== undefined).toBe(isReported);
  });

  it('are reported when another joins them, not when one of them is read', () => {
    const steps = ['a', 'a b', 'b', 'a b c', 'a c'].map((formIds) => failed(words(formIds)) !== undefined);
    expect(steps).toEqual([true, true, false, true, false]);
  });

  it('are named once an hour each, however many join them', () => {
    const named = ['a', 'a b', 'a b c'].map((formIds) => {
      now += 10 * MINUTE;
      return failed(words(formIds))?.message;
    });
    expect(named).toEqual([
      '1 of 9 forms could not be read: a (Not allowed)',
      '2 of 9 forms could not be read: b (Not allowed)',
      '3 of 9 forms could not be read: c (Not allowed)',
    ]);
  });

  it('are reported for each trigger by itself', () => {
    failed(['a']);
    expect(failed(['a'], undefined, newSession())).toBeDefined();
  });

  it('are no report when there are none', () => {
    expect(failed([])).toBeUndefined();
  });
});

it('reports once an hour that the trigger starts anew in another workspace, with what to do', () => {
  const lost = () => lostReport(session);
  expect(lost()).toMatchObject({
    message: expect.stringContaining('another workspace') as unknown,
    description: expect.stringContaining('N8N_POLLER_DURABLE_CURSORS_ENABLED') as unknown,
  });
  now += MINUTE;
  expect(lost()).toBeUndefined();
  // The other report does not depend on it.
  expect(failed(['a'])).toBeDefined();
});

describe('a report', () => {
  it('is an item of the error output if the node has one', () => {
    session.node.onError = 'continueErrorOutput';
    expect(report(session, failure())).toEqual([{ json: { error: 'Not allowed' } }]);
    expect([report(session, undefined), emitted]).toEqual([[], []]);
  });
});

describe('a poll that fails', () => {
  const apiError = (message: string, httpCode?: string, cause?: 'rate-limited' | 'temporarily-unavailable') =>
    new NodeApiError(node, {}, { message, httpCode, failure: cause && { cause } });
  const output = (error: NodeApiError | NodeOperationError) =>
    errorOutput(session, error)?.map(({ json }) => json.error);

  it('is an error when the node has no error output', () => {
    expect(output(failure())).toBeUndefined();
  });

  it('is an item of the error output, once an hour for the same status and cause', () => {
    session.node.onError = 'continueErrorOutput';
    expect(output(apiError('Down', '503', 'temporarily-unavailable'))).toEqual(['Down']);
    now += 59 * MINUTE;
    expect(output(apiError('Still down', '503', 'temporarily-unavailable'))).toEqual([]);
    now += MINUTE;
    expect(output(apiError('Still down', '503', 'temporarily-unavailable'))).toEqual(['Still down']);
  });

  it.each<[what: string, error: NodeApiError | NodeOperationError, message: string]>([
    ['status', apiError('Not allowed', '403', 'temporarily-unavailable'), 'Not allowed'],
    ['cause', apiError('Slow down', '503', 'rate-limited'), 'Slow down'],
    ['cause, without any', apiError('Strange', '503'), 'Strange'],
    ['status, without any', apiError('Lost', undefined, 'temporarily-unavailable'), 'Lost'],
    ['message of another error', failure('Wrong parameter'), 'Wrong parameter'],
  ])('is an item at once for another %s', (_, error, message) => {
    session.node.onError = 'continueErrorOutput';
    output(apiError('Down', '503', 'temporarily-unavailable'));
    expect(output(error)).toEqual([message]);
    expect(output(error)).toEqual([]);
  });

  it('is an item at once after a poll that succeeded, also for the same failure', () => {
    session.node.onError = 'continueErrorOutput';
    output(failure());
    forgetFailedPolls(session);
    expect(output(failure())).toEqual(['Not allowed']);
  });
});
