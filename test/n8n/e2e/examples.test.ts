import { createHmac } from 'node:crypto';

import type { Execution } from '../../../n8n-runner/client.ts';
import { codeNode, exampleTools, fileReaderNode, jsonOf, valuesNode } from './support/examples.ts';
import { textLike, until, useTestInstance } from './support/instance.ts';
import { startMailServer } from './support/mailServer.ts';
import { submitForm } from './support/workflows.ts';

describe('the examples in a real n8n instance', () => {
  const instance = useTestInstance();
  const { imported, executionsWith } = exampleTools(instance);

  it('who asks for access is invited after a person has approved; members, former members and lists of addresses are left alone', async () => {
    const { client, emulator, n8n } = instance();
    const { workspace } = emulator;
    const { mails, credential } = await startMailServer();
    const form = workspace.addForm({
      title: 'Ask for access',
      questions: [
        { label: 'Email address', kind: 'email', slug: 'email' },
        { label: 'Would you like access to our workspace?', kind: 'single_choice', slug: 'access' },
      ],
    });
    workspace.addMember({ email: 'boss@example.org', organizationRole: 'Admin' });
    workspace.addMember({ email: 'gone@example.org', active: false });
    const smtp = await client.createCredential(credential);
    const asking = { 'Ask for Approval': { webhookId: 'approval', credentials: { smtp } } };
    const workflow = await instance().activate(imported('invite-on-answer.json', asking, form.title));
    const ask = (email: string | undefined, access?: string) =>
      workspace.addSubmission(form.id, { answers: { ...(email && { email }), ...(access && { access }) } });
    const [known, others] = [
      [' Boss@Example.org ', 'gone@example.org'],
      ['a@example.org, b@example.org', 'a@example.org b@example.org', 'c@example.org;d@example.org', undefined],
    ];
    for (const email of ['new@example.org', 'stranger@example.org', ...known, ...others]) ask(email, 'Yes');
    for (const access of ['No', undefined]) ask('no@example.org', access);

    const ended = async (node: string, count: number) => {
      const executions = await executionsWith(count, node, workflow.id);
      expect(executions.flatMap((execution) => jsonOf(execution, node))).toHaveLength(count);
    };
    await ended('Already Known', known.length);
    await ended('Not Invited', others.length + 2);
    await until('two requests for approval', () => mails.length === 2);
    expect(emulator.requests.filter(({ method }) => method !== 'GET')).toEqual([]);

    /** Follows a link of the mail about an address, as a browser does. */
    const answer = async (email: string, label: string): Promise<void> => {
      const mail = mails.find((each) => each.includes(`Subject: Invite ${email}?`)) ?? '';
      const [, link = ''] = RegExp(`<a href="([^"]+)"[^>]*>${label}</a>`).exec(mail) ?? [];
      const { pathname, search } = new URL(link.replaceAll('&amp;', '&'));
      const page = await fetch(n8n.url + pathname + search, {
        headers: { 'user-agent': 'Mozilla/5.0 Firefox/140.0' },
      });
      expect(page.status).toBe(200);
    };
    await answer('stranger@example.org', 'Do not invite');
    await ended('Declined', 1);
    expect(emulator.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    await answer('new@example.org', 'Invite');
    await ended('Invite', 1);
    expect(workspace.invitations.map(({ email }) => email)).toEqual(['new@example.org']);
    expect(workspace.memberByEmail('new@example.org')).toMatchObject({ active: true, organizationRole: 'Standard' });
    expect(workspace.memberByEmail('boss@example.org')).toMatchObject({ active: true, organizationRole: 'Admin' });
    expect(workspace.memberByEmail('gone@example.org')).toMatchObject({ active: false });
  }, 400_000);

  it("every form with submissions yesterday becomes one CSV file with only yesterday's rows, a column per question, whatever its name, and without formulas", async () => {
    const { workspace: service } = instance().emulator;
    const today = Date.parse(new Date().toISOString().slice(0, 10));
    const dayMs = 24 * 60 * 60 * 1000;
    const odd = ['Name.first', '1.2 Rooms', 'Options [A]', '=HYPERLINK("http://evil","x")', '+1', '-1+1', '@SUM(1)'];
    const form = service.addForm({
      title: 'Contact: press / TV',
      questions: [
        { label: 'Name', kind: 'short_text', slug: 'name' },
        { label: 'Phone', kind: 'phone', slug: 'phone' },
        ...odd.map((label, index) => ({ label, kind: 'short_text', slug: `odd${index}` })),
      ],
    });
    service.addForm({ title: 'Quiet' });
    const phone = { country_name: 'France', value: '+33 1' };
    const odds = Object.fromEntries(odd.map((_, index) => [`odd${index}`, `${index}`]));
    service.addSubmission(form.id, { createdAt: today - dayMs - 1, answers: { name: 'the day before' } });
    const first = { name: 'first, "instant"', ...odds };
    service.addSubmission(form.id, { id: 'a', createdAt: today - dayMs, answers: first });
    const hostile = ['=HYPERLINK("https://evil.example")', '@SUM(1)', '-1+cmd|x', '\t=1', '-12.5'];
    for (const [index, name] of hostile.entries())
      service.addSubmission(form.id, { id: `h${index}`, createdAt: today - 100 + index, answers: { name } });
    service.addSubmission(form.id, { id: 'b', createdAt: today - 1, answers: { name: 'last instant', phone } });
    service.addSubmission(form.id, { createdAt: today, answers: { name: 'today' } });

    const example = imported('nightly-csv-export.json', { 'Your Destination': fileReaderNode() });
    const settings = { ...example.settings, timezone: 'UTC' };
    const workflow = await instance().activate({ ...example, settings });
    const execution = await instance().client.run(workflow.id, 'Every Night');

    expect(execution).toMatchObject({ status: 'success' });
    const at = (ms: number) => new Date(ms).toISOString();
    const yesterday = at(today - dayMs).slice(0, 10);
    const files = jsonOf(execution, 'Your Destination') as Array<Record<'name' | 'text', string>>;
    const names = files.map(({ name }) => name);
    // Newest form first. The sample form has a submission every 18 hours.
    expect(names.filter((name) => /^(Contact|Quiet)/.test(name))).toEqual([
      `Contact-press-TV-${yesterday}.csv`,
      `Contact-us-${yesterday}.csv`,
    ]);
    const rest = `Contact: press / TV,${form.id}`;
    expect(files[0]?.text).toBe(
      `\uFEFFcreated_at,Name,Phone,Name.first,1.2 Rooms,Options [A],"'=HYPERLINK(""http://evil"",""x"")",'+1,'-1+1,'@SUM(1),form_title,form_id,submission_id
${at(today - dayMs)},"first, ""instant""",,0,1,2,3,4,5,6,${rest},a
${at(today - 100)},"'=HYPERLINK(""https://evil.example"")",,,,,,,,,${rest},h0
${at(today - 99)},'@SUM(1),,,,,,,,,${rest},h1
${at(today - 98)},'-1+cmd|x,,,,,,,,,${rest},h2
${at(today - 97)},'\t=1,,,,,,,,,${rest},h3
${at(today - 96)},-12.5,,,,,,,,,${rest},h4
${at(today - 1)},last instant,'+33 1,,,,,,,,${rest},b`,
    );
  }, 200_000);

  it('a signed webhook call delivers a submission in less than five seconds, once; other calls are refused', async () => {
    const { client, n8n, emulator } = instance();
    // The trigger would otherwise find the submissions of the other tests.
    const form = emulator.workspace.addForm({ title: 'Instant', questions: [{ label: 'Name', slug: 'name' }] });
    const secret = 'known to the form and to n8n';
    const crypto = await client.createCredential({ name: 'Webhook', type: 'crypto', data: { hmacSecret: secret } });
    // The editor gives an imported Webhook node such an ID, and with it the path that the node names.
    const changes = { Signature: { credentials: { crypto } }, Signal: { webhookId: 'signal' } };
    const workflow = await instance().activate(imported('instant-delivery.json', changes, form.title));
    const url = `${n8n.url}/webhook/neetoform-submission`;
    const idsAfter = (executions: Execution[], node: string) =>
      executions.flatMap((each) => jsonOf(each, node)).map(({ submission_id: id }) => id);

    /** Calls as the service does, with a body that is more than ASCII; without a secret, the call is not signed. */
    const call = async (key?: string, write = (digits: string) => `sha256=${digits}`): Promise<number> => {
      const answers = { name: { field: 'Name', value: 'Ada "<3" & Zoë', type: 'text' } };
      const body = JSON.stringify({ webhook: { id: 'made up', submitted_at: new Date().toISOString(), answers } });
      const headers = new Headers({ 'content-type': 'application/json' });
      if (key) headers.set('x-neeto-webhook-signature', write(createHmac('sha256', key).update(body).digest('hex')));
      return (await fetch(url, { method: 'POST', headers, body })).status;
    };

    expect([await call(), await call('guessed')]).toEqual([401, 401]);
    const malformed = [
      (digits: string) => `sha256=${digits}00`,
      (digits: string) => `sha512=${digits}`,
      () => 'sha256=',
    ];
    for (const write of malformed) expect(await call(secret, write)).toBe(401);
    const afterRefusals = await executionsWith(5, 'Signal', workflow.id);
    expect(afterRefusals.flatMap((each) => jsonOf(each, 'Refuse'))).toHaveLength(5);
    expect(afterRefusals.flatMap((each) => jsonOf(each, 'Recent Submissions'))).toEqual([]);

    const submittedAt = Date.now();
    await submitForm(`${emulator.url}/forms/${form.id}/attempt`, { name: 'Ada "<3" & Zoë' });
    expect(await call(secret)).toBe(200);
    await executionsWith(1, 'Your Steps', workflow.id);
    expect(Date.now() - submittedAt).toBeLessThan(5_000);
    const [submission] = emulator.workspace.submissions(form.id);
    expect(await call(secret)).toBe(200);
    await executionsWith(2, 'Recent Submissions', workflow.id);

    // A call that gets lost: the trigger delivers that submission, and the first one as well, which is dropped.
    const lost = emulator.workspace.addSubmission(form.id, { answers: { name: 'Grace' } });
    const executions = await executionsWith(2, 'Your Steps', workflow.id);
    expect(idsAfter(executions, 'Your Steps')).toEqual([submission?.id, lost.id]);
    expect(idsAfter(executions, 'New Submission')).toEqual([submission?.id, lost.id]);
    expect(idsAfter(executions, 'Recent Submissions')).toEqual([submission?.id, submission?.id]);
  }, 300_000);

  it('three submissions of one poll run in three executions, and one that fails stops no other', async () => {
    const { emulator } = instance();
    const form = emulator.workspace.addForm({ title: 'One by one', questions: [{ label: 'Name', slug: 'name' }] });
    const steps = codeNode("if ($json.Name === 'b') throw new Error('Refused'); return $input.all();");
    const example = imported('one-execution-per-submission.json', { 'Your Steps': steps }, form.title);
    const workflow = await instance().activate(example);
    for (const name of ['a', 'b', 'c']) emulator.workspace.addSubmission(form.id, { answers: { name } });

    const executions = await executionsWith(3, 'One Submission', workflow.id);
    const polled = executions.filter(({ mode }) => mode === 'trigger');
    expect(polled.map(({ status, itemsOf }) => [status, itemsOf('New Submission').length])).toEqual([['success', 3]]);
    const single = executions.filter(({ mode }) => mode !== 'trigger');
    expect(single).toHaveLength(3);
    const namesIn = (execution: Execution) => jsonOf(execution, 'One Submission').map(({ Name }) => Name as string);
    const outcomes = single.map((execution) => [namesIn(execution).join(), execution.error?.message ?? 'success']);
    expect(Object.fromEntries(outcomes)).toEqual({ a: 'success', b: textLike(/Refused/), c: 'success' });
  }, 300_000);

  it('a failing trigger alerts by its error output', async () => {
    const workflow = await instance().activate(imported('error-branch.json', {}, 'Contact us'));
    instance().emulator.fail({
      when: { path: /submissions/, times: Infinity },
      with: { status: 403, body: { error: 'Not allowed' } },
    });
    const [execution] = await executionsWith(1, 'Alert', workflow.id);
    expect(execution && jsonOf(execution, 'Alert')).toEqual([
      { message: textLike(/^The trigger could not read new submissions: .*Not allowed/) },
    ]);
  }, 300_000);

  /** Runs the off-boarding example for these people, at most so many at once. */
  async function offBoard(emails: unknown[], atMost: number): Promise<Execution> {
    const people = valuesNode({ emails, atMost });
    return await instance().run(imported('off-boarding.json', { 'People Who Leave': people }));
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
