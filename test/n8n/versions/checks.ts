import type { INodeParameters } from 'n8n-workflow';

import type { Emulator } from '../../../emulator/index.ts';
import {
  chain,
  createNode,
  neetoFormNode,
  neetoFormTrigger,
  nextNode,
  startNode,
} from '../../../n8n-runner/workflow.ts';
import { ID, OPERATIONS_AND_VERSIONS } from '../../support/operations';
import { type Connection, credentialFor, textLike, until } from '../e2e/support/instance.ts';
import { byId, contactAnswers, submitForm } from '../e2e/support/workflows.ts';

const PDF = `%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Resources<</Font<</F 4 0 R>>>>/Contents 5 0 R>> endobj
4 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj
5 0 obj <</Length 34>> stream
BT /F 9 Tf 9 9 Td (Dear all) Tj ET
endstream endobj
trailer <</Root 1 0 R>>`;

/** Files in answers, by their names, and what n8n's node Extract from File returns for each. */
const UPLOADS = {
  'scores.csv': {
    operation: 'csv',
    type: 'text/csv',
    data: 'Name,Score\nZoë,7\n',
    extracted: { Name: 'Zoë', Score: '7' },
  },
  'letter.pdf': { operation: 'pdf', type: 'application/pdf', data: PDF, extracted: { text: 'Dear all' } },
};

/** Defines the tests that pass in every version of n8n. @param connection returns what they use; called when they run */
export function describeChecks(connection: () => Connection): void {
  const runAction = async (parameters: INodeParameters) => {
    const { run, credential } = connection();
    return await run(chain([startNode(), neetoFormNode(credential, parameters)]));
  };
  /** Publishes a workflow, and waits until its first poll has read the form "Contact us". @returns its ID, and that of the form */
  const watch = async (choose: (formId: string) => INodeParameters) => {
    const { activate, credential, emulator, formId: find } = connection();
    const formId = find('Contact us');
    const trigger = neetoFormTrigger(credential, { output: 'simplified', ...choose(formId) });
    const { id } = await activate(chain([trigger, nextNode()]));
    const isPoll = ({ path, status }: Emulator['requests'][number]) =>
      path.endsWith(`/${formId}/submissions`) && status === 200;
    await until('the first poll', () => emulator.requests.some(isPoll));
    return { id, formId };
  };

  it('tests a credential', async () => {
    const { client, credential, emulator } = connection();
    const test = async (changes = {}) => await client.testCredential(credential, credentialFor(emulator, changes));
    expect(await test()).toEqual({ status: 'OK', message: 'Connection successful!' });
    // n8n 2.30 and older lose the cause of an error, and with it the status that our own message depends on.
    const wrongKey = textLike(/API key|Authorization failed/);
    expect(await test({ apiKey: 'wrong' })).toEqual({ status: 'Error', message: wrongKey });
    emulator.fail({ with: { status: 404, body: '<h1>Not found</h1>' } });
    const wrongSubdomain = textLike(/No NeetoForm workspace.*'Subdomain'|could not be found/);
    expect(await test()).toEqual({ status: 'Error', message: wrongSubdomain });
  });

  it('runs every operation', async () => {
    const { emulator } = connection();
    for (const { title, method, path, parameters } of OPERATIONS_AND_VERSIONS) {
      const form = emulator.workspace.addForm({ title });
      emulator.workspace.addSubmission(form.id);
      const email = `${title.replaceAll(/\W+/g, '-')}@example.com`;
      const member = emulator.workspace.addMember({ email });
      // Add leaves members alone: it needs somebody new.
      const emails = method === 'POST' ? `new-${email}` : email;
      const existing = { formId: byId(form.id), teamMemberId: byId(member.id), emails };
      const used = Object.entries(existing).filter(([name]) => name in parameters);
      emulator.requests.length = 0;

      const { status, error, itemsOf } = await runAction({
        ...parameters,
        ...Object.fromEntries(used),
      } as INodeParameters);
      expect({ title, status, error }).toEqual({ title, status: 'success', error: undefined });
      expect(itemsOf('NeetoForm').length).toBeGreaterThan(0);
      const id = 'formId' in parameters ? form.id : member.id;
      const requests = emulator.requests.map((request) => `${request.method} ${request.path} → ${request.status}`);
      expect(requests).toContainEqual(textLike(RegExp(`^${method} ${path.replace(ID, id)} → 20\\d$`)));
    }
  }, 300_000);

  it('retries after a lost connection', async () => {
    const { emulator } = connection();
    emulator.fail({ when: { path: /\/forms$/ }, with: { reset: true } });
    const { status, itemsOf } = await runAction({ resource: 'form', operation: 'getAll', limit: 1, filters: {} });
    expect(status).toBe('success');
    expect(itemsOf('NeetoForm')).toHaveLength(1);
    expect(emulator.requests).toHaveLength(2);
  });

  it.each(Object.entries(UPLOADS))(
    'attaches a file that Extract from File reads: %s',
    async (name, { operation, type, data, extracted }) => {
      const { emulator, run, credential } = connection();
      const { workspace, url } = emulator;
      const form = workspace.addForm({ title: name, questions: [{ label: 'Upload', kind: 'file_upload' }] });
      const { id } = workspace.addFile({ name, type, data: Buffer.from(data) });
      workspace.addSubmission(form.id, {
        answers: { upload: { files: [{ name, url: `${url}/files/${id}/${name}` }] } },
      });
      const read = {
        resource: 'submission',
        operation: 'getAll',
        formId: byId(form.id),
        options: { downloadFiles: true },
      };
      const parameters = { operation, binaryPropertyName: 'Upload_1' };
      const extract = createNode('Extract', 'n8n-nodes-base.extractFromFile', parameters);
      const { error, itemsOf } = await run(chain([startNode(), neetoFormNode(credential, read), extract]));
      expect(error).toBeUndefined();
      expect(itemsOf('Extract').map(({ json }) => json)).toMatchObject([extracted]);
    },
  );

  it('starts a workflow on a new submission', async () => {
    const { emulator, executions } = connection();
    const { id, formId } = await watch((value) => ({ formId: byId(value) }));
    await submitForm(`${emulator.url}/forms/${formId}/attempt`, contactAnswers);
    const [execution] = await executions(id, ({ length }) => length > 0);
    expect(execution).toMatchObject({ status: 'success', mode: 'trigger' });
    expect(execution?.itemsOf('Next').map(({ json }) => json['answers'])).toMatchObject([
      { 'Email address': contactAnswers['email-address'] },
    ]);
  }, 400_000);

  it('watches every active form, and reports one that cannot be read', async () => {
    const { emulator, executions } = connection();
    const { id, formId } = await watch(() => ({ triggerOn: 'allActive' }));
    emulator.fail({
      when: { path: new RegExp(`${formId}/submissions`), times: Infinity },
      with: { status: 404, body: { error: 'Form does not exist.' } },
    });
    const added = emulator.workspace.addForm({ title: 'Added later' });
    const submission = emulator.workspace.addSubmission(added.id);
    // The broken form is read again because it has something new.
    emulator.workspace.addSubmission(formId);

    const ended = await executions(id, ({ length }) => length >= 2);
    const delivered = ended.find(({ status }) => status === 'success')?.itemsOf('Next');
    expect(delivered?.map(({ json }) => [json['id'], json['form_id']])).toEqual([[submission.id, added.id]]);
    const reported = ended.find(({ status }) => status === 'error')?.error?.message;
    expect(reported).toMatch(/^1 of \d+ forms could not be read: /);
  }, 400_000);
}
