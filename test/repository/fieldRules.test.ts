import { NodeHelpers } from 'n8n-workflow';
import type { INodeParameters, INodeProperties, INodeType } from 'n8n-workflow';

import { sampleWorkspace } from '../../emulator/index.ts';
import { NeetoFormApi } from '../../credentials/NeetoFormApi.credentials';
import { NeetoForm } from '../../nodes/NeetoForm/NeetoForm.node';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';
import { askInEditor } from '../support/engine';
import { placeholderNode, workflowOf } from '../support/engine/workflow';
import { useHarness, type Parameters } from '../support/harness';
import { OPERATIONS } from '../support/operations';

// What n8n makes of the descriptions, with n8n's own functions. The file whatUsersSee.json has the descriptions themselves.

const harness = useHarness({ seed: sampleWorkspace() });

const action: INodeType = new NeetoForm();
const trigger: INodeType = new NeetoFormTrigger();
const nodes = Object.entries({ 'action node': action, trigger });

/** A field, and those beside it: of the panel, or of the collection that it can be added to. */
interface Placed {
  field: INodeProperties;
  siblings: INodeProperties[];
}

const fieldsOf = ({ description: { properties } }: INodeType): Placed[] =>
  properties.flatMap((field) => {
    const nested = (field.options ?? []).filter((option) => 'type' in option);
    return [field, ...nested].map((each, index) => ({ field: each, siblings: index === 0 ? properties : nested }));
  });

const choicesOf = ({ type, options = [] }: INodeProperties): unknown[] =>
  type === 'boolean' ? [true, false] : options.map((option) => 'value' in option && option.value);

const evaluated = async (type: INodeType, parameters: INodeParameters, expression: string | undefined) => {
  const node = placeholderNode('Node', { parameters });
  const workflow = workflowOf(type, [node]);
  return await workflow.expression.withIsolate(async () =>
    workflow.expression.getSimpleParameterValue(node, expression, 'internal', {}),
  );
};

const chosen = (value: string, mode = 'list') => ({ __rl: true, mode, value });

describe('a list in a field is filled with what the field is about, by a method of its node', () => {
  const contact = () => harness.emulator.workspace.forms.find(({ title }) => title === 'Contact us');
  const forms = () => harness.emulator.workspace.forms.map(({ id }) => id);

  /** By the name of the field. */
  const ABOUT: Record<string, () => string[]> = {
    formId: forms,
    formIds: forms,
    organizationRole: () => ['Admin', 'Editor', 'Reviewer', 'Standard'],
    questionsToInclude: () => contact()?.questions.map(({ slug }) => slug) ?? [],
    teamMemberId: () => harness.emulator.workspace.members.filter(({ active }) => active).map(({ id }) => id),
    timeZone: () => ['Africa/Lagos', 'America/New_York', 'Asia/Kolkata', 'Europe/Paris', 'UTC'],
  };

  const lists = nodes.flatMap(([name, node]) => {
    const listed = fieldsOf(node).flatMap(({ field: { name: field, typeOptions, modes = [] } }) => [
      ...(typeOptions?.loadOptionsMethod === undefined ? [] : [{ field, method: typeOptions.loadOptionsMethod }]),
      ...modes.flatMap(({ type, typeOptions: { searchListMethod } = {} }) =>
        type === 'list' ? [{ field, method: searchListMethod ?? 'nothing' }] : [],
      ),
    ]);
    const different = new Map(listed.map(({ field, method }) => [`${field}: ${method}`, { field, method }]));
    return [...different.values()].map((list) => ({ ...list, name, node }));
  });

  it.each(lists)('$field of the $name, by $method', async ({ node, field, method }) => {
    const { loadOptions = {}, listSearch = {} } = node.methods ?? {};
    const parameters: INodeParameters = { formId: chosen(contact()?.id ?? '') };
    const choices = await askInEditor(node, { credentials: harness.credentials, parameters }, async (context) =>
      method in loadOptions
        ? await loadOptions[method]?.call(context)
        : (await listSearch[method]?.call(context))?.results,
    );
    const values = choices?.map(({ value }) => value) ?? [];
    const about = ABOUT[field]?.() ?? [];
    expect(about.length).toBeGreaterThan(1);
    // There are many more time zones.
    if (field === 'timeZone') expect(values).toEqual(expect.arrayContaining(about));
    else expect(values.toSorted()).toEqual(about.toSorted());
  });
});

it.each(nodes)(
  'the conditions under which the %s shows a field name fields and values that there are',
  (_name, node) => {
    const { properties } = node.description;
    const conditions = fieldsOf(node).flatMap(({ field: { name, displayOptions = {} }, siblings }) =>
      Object.values(displayOptions).flatMap((condition: Record<string, unknown[] | undefined> = {}) =>
        Object.entries(condition).flatMap(([path, values = []]) =>
          values.map((value) => ({ name, siblings, path, value })),
        ),
      ),
    );
    expect(conditions.length).toBeGreaterThan(5);
    const broken = conditions.filter(({ siblings, path, value }) => {
      // The only condition of n8n's own: an agent's tool.
      if (path.startsWith('@')) return path !== '@tool' || value !== true;
      const among = path.startsWith('/') ? properties : siblings;
      return !among.some((field) => field.name === path.replace('/', '') && choicesOf(field).includes(value));
    });
    expect(broken.map(({ name, path, value }) => [name, path, value])).toEqual([]);
  },
);

it.each<{ node: INodeType; values: INodeParameters; isOffered: boolean }>([
  { node: action, values: { resource: 'submission', operation: 'getAll' }, isOffered: true },
  { node: trigger, values: { triggerOn: 'one' }, isOffered: true },
  { node: trigger, values: { triggerOn: 'several' }, isOffered: false },
  { node: trigger, values: { triggerOn: 'allActive' }, isOffered: false },
])('questions can be chosen where one form is: $node.description.name, $values', ({ node, values, isOffered }) => {
  const { description } = node;
  const isShown = (field: INodeProperties) =>
    NodeHelpers.displayParameter(values, field, { typeVersion: 1 }, description);
  const shown = description.properties.filter(isShown);
  expect(shown.some(({ name }) => name === 'formId')).toBe(isOffered);
  const offered = shown.flatMap(({ options = [] }) => options.filter((option) => 'type' in option)).filter(isShown);
  expect(offered.some(({ typeOptions }) => typeOptions?.loadOptionsMethod === 'getQuestions')).toBe(isOffered);
});

describe('the notice about IP addresses is shown where items contain one, and only there', () => {
  const outputs = ['raw', 'row', 'simplified'];
  const parameters = (output: string) => ({ output, formId: chosen(harness.emulator.workspace.forms[0]?.id ?? '') });

  const isShown = async (node: INodeType, values: Parameters) => {
    const hint = node.description.hints?.find(({ message }) => message.includes('IP address'));
    return await evaluated(node, values as INodeParameters, hint?.displayCondition);
  };

  it.each(outputs)('of the trigger, in %s', async (output) => {
    const [item] = await harness.fetchTestEvent({ triggerOn: 'one', ...parameters(output) });
    expect(item).toBeDefined();
    expect(await isShown(trigger, parameters(output))).toBe(JSON.stringify(item).includes('203.0.113.'));
  });

  it.each(outputs)('of the action node, in %s', async (output) => {
    const values = { resource: 'submission', operation: 'getAll', ...parameters(output) };
    const [item] = await harness.run(values);
    expect(item).toBeDefined();
    expect(await isShown(action, values)).toBe(JSON.stringify(item).includes('203.0.113.'));
  });

  it.each(OPERATIONS)(
    'and not for the output that $title has kept of another operation',
    async ({ title, parameters }) => {
      const values = { ...parameters, output: 'raw' };
      expect(await isShown(action, values)).toBe(title === 'submission: getAll');
    },
  );
});

it.each(OPERATIONS)('the subtitle of the action node says what it does: $title', async ({ parameters }) => {
  const subtitle = `${String(parameters['operation'])}: ${String(parameters['resource'])}`;
  expect(await evaluated(action, parameters as INodeParameters, action.description.subtitle)).toBe(subtitle);
});

it.each<[parameters: INodeParameters, subtitle: string]>([
  [{ formId: { ...chosen('x'), cachedResultName: 'Contact us' } }, 'Contact us'],
  [{ formId: chosen('some-id', 'id') }, 'some-id'],
  [{ formId: chosen('') }, 'On new submission'],
  [{ triggerOn: 'several', formIds: ['a', 'b'] }, '2 forms'],
  [{ triggerOn: 'allActive' }, 'Whole workspace'],
])('the subtitle of the trigger names what it watches: %j is "%s"', async (parameters, subtitle) => {
  expect(await evaluated(trigger, { triggerOn: 'one', ...parameters }, trigger.description.subtitle)).toBe(subtitle);
});

it('what the credential sends as a secret is hidden like a password', async () => {
  const { properties, authenticate } = new NeetoFormApi();
  const values = { subdomain: 'acme', apiKey: 'secret', baseUrl: '' };
  if (typeof authenticate !== 'function') throw new Error('It is a function');
  const { headers } = await authenticate(values, { url: 'https://acme.neetoform.com/' });
  const sent = Object.values(headers ?? {});
  const secrets = Object.entries(values).filter(([, value]) => sent.includes(value));
  const hidden = properties.filter(({ typeOptions }) => typeOptions?.password === true);
  expect(secrets.map(([name]) => name)).toEqual(hidden.map(({ name }) => name));
  expect(secrets).toHaveLength(1);
});

describe('By URL', () => {
  const ID = '2d1f0c4e-8b7a-4c39-9a53-3c8f5b1e7d20';
  const OTHER = '7a6e2f9c-51d4-4b0e-8d3a-f2c1908b6e47';
  const get = { resource: 'form', operation: 'get' };
  const setting = { triggerOn: 'one' };

  /** What a panel says of an address before the node runs. */
  const complaints = ({ description }: INodeType, parameters: INodeParameters) =>
    NodeHelpers.getNodeParametersIssues(description.properties, placeholderNode('Node', { parameters }), description)
      ?.parameters?.['formId'] ?? [];

  beforeEach(() => {
    for (const id of [ID, OTHER]) harness.emulator.workspace.addForm({ id, title: id });
  });

  it.each(
    [
      ['', '/', '?', '#', '?utm_source=mail', '#top', '?a=/b/c#d', '/edit', '/submissions/', `/${OTHER}`].map(
        (end) => ID + end,
      ),
      [`forms/${ID}`, `admin/forms/${ID}/build?tab=1#x`, ID.toUpperCase(), `admin//${ID}`],
      [`forms/x${OTHER}/${ID}`],
    ]
      .flat()
      .flatMap((path) => ['https://acme.neetoform.com/', 'http://127.0.0.1:4010/'].map((host) => host + path)),
  )('takes an address with an ID in its path: %s', async (address) => {
    const formId = chosen(address, 'url');
    expect([complaints(action, { ...get, formId }), complaints(trigger, { ...setting, formId })]).toEqual([[], []]);
    expect(await harness.run({ ...get, formId })).toMatchObject([{ json: { id: ID } }]);
    expect(await harness.fetchTestEvent({ ...setting, formId })).toMatchObject([{ json: { form_id: ID } }]);
  });

  it.each(
    ['', 'forms', `?id=${ID}`, `#${ID}`, `x${ID}`, `${ID}x`, `forms?next=/${ID}`, `forms#/${ID}`, ID.slice(1)].map(
      (path) => `https://acme.neetoform.com/${path}`,
    ),
  )('refuses another address, in the panel and in a run: %s', async (address) => {
    const formId = chosen(address, 'url');
    const message =
      "This address has no form ID in it. Open the form in NeetoForm's editor and copy the address from there, or choose the form from the list";
    expect([complaints(action, { ...get, formId }), complaints(trigger, { ...setting, formId })]).toEqual([
      [message],
      [message],
    ]);
    const refusal = "'Form' is an address from which no ID can be read";
    expect((await harness.refused({ ...get, formId })).message).toBe(refusal);
    await expect(harness.fetchTestEvent({ ...setting, formId })).rejects.toThrow(refusal);
  });
});
