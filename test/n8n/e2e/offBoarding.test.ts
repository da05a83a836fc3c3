import type { Execution } from '../../../n8n-runner/client.ts';
import { START } from '../../../n8n-runner/workflow.ts';
import { exampleTools, fieldsNode, jsonOf, withNode } from './support/examples.ts';
import { textLike, useTestInstance } from './support/instance.ts';

describe('the example for off-boarding', () => {
  const instance = useTestInstance();
  const { imported } = exampleTools(instance);

  /** Runs the off-boarding example for these people, at most so many at once. */
  async function offBoard(emails: unknown[], atMost: number): Promise<Execution> {
    const people = fieldsNode('People Who Leave', { emails, atMost });
    const workflow = await instance().client.createWorkflow(withNode(imported('off-boarding.json'), people));
    return await instance().client.run(workflow.id, START);
  }
  const activeMembers = () => {
    const members = instance().emulator.workspace.members.filter(({ active }) => active);
    return members.map(({ email }) => email);
  };

  it.each([
    ['everybody', 99, () => activeMembers()],
    ['more than half', 99, () => activeMembers().slice(0, Math.floor(activeMembers().length / 2) + 1)],
    ['more than allowed', 1, () => ['tomas.novak@example.com', 'grace.okafor@example.com']],
    ['a blank list', 99, () => ['', ' ', null]],
  ])('off-boarding removes nobody when the list has %s', async (_what, atMost, emails) => {
    const before = activeMembers();
    expect(before.length).toBeGreaterThan(3);
    const list = emails();
    const { error, itemsOf } = await offBoard(list, atMost);
    if (list.includes('')) expect(itemsOf('Removed')).toEqual([]);
    else expect(error?.message).toMatch(/^Nobody was removed: \d+ of \d+ active members/);
    expect(activeMembers()).toEqual(before);
  });

  it('people who cannot be removed are reported by address and reason, and stop nobody else', async () => {
    const emails = [
      ' Tomas.Novak@example.com',
      '',
      'nobody@example.com',
      'grace.okafor@example.com',
      'liam.jones@example.com',
    ];
    const { emulator } = instance();
    const grace = emulator.workspace.memberByEmail('grace.okafor@example.com')?.id ?? '';
    const refusal = { status: 422, body: { error: 'Grace owns three forms' } };
    emulator.fail({ when: { path: new RegExp(grace), match: ({ method }) => method === 'DELETE' }, with: refusal });
    const before = activeMembers();
    const execution = await offBoard(emails, 2);

    expect(execution).toMatchObject({ status: 'success' });
    expect(jsonOf(execution, 'Removed')).toEqual([{ email: 'tomas.novak@example.com', result: 'removed' }]);
    expect(jsonOf(execution, 'Could Not Be Removed')).toEqual([
      { email: 'grace.okafor@example.com', result: textLike(/Grace owns three forms/) },
    ]);
    expect(jsonOf(execution, 'Not Found')).toEqual([
      { email: 'nobody@example.com' },
      { email: 'liam.jones@example.com' },
    ]);
    expect(activeMembers()).toEqual(before.filter((email) => email !== 'tomas.novak@example.com'));
  });
});
