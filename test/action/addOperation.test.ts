import { FORM } from '../../nodes/NeetoForm/api/endpoints';
import { parseObject } from '../../nodes/NeetoForm/api/parse';
import { formLocator } from '../../nodes/NeetoForm/fields/formLocator';
import { NeetoForm } from '../../nodes/NeetoForm/NeetoForm.node';
import { single } from '../../nodes/NeetoForm/operations/single';
import { describeResource, type OperationDescription } from '../../nodes/NeetoForm/resources/describeResource';
import { runNode } from '../support/engine';
import { addForms, anyText, useHarness } from '../support/harness';

const harness = useHarness();

/** An operation as CONTRIBUTING.md says to write one: a file with this object, and one line in the index.ts beside it. */
const getTitle: OperationDescription = {
  option: {
    name: 'Get Title',
    value: 'getTitle',
    action: 'Get form title',
    description: 'Get the title of a form',
  },
  route: { method: 'GET', url: FORM },
  run: single({ item: (body, { id }) => ({ id, title: parseObject(body).title }) }),
  fields: [formLocator],
};

function nodeWithTheOperation(): NeetoForm {
  const node = new NeetoForm();
  node.description.properties = [
    ...node.description.properties.filter(({ name }) => name === 'resource'),
    ...describeResource('form', [getTitle]),
  ];
  return node;
}

it('an operation that is described by its file alone reads IDs, links items and reports failures like every other', async () => {
  const [form] = addForms(harness.emulator, 1);
  const items = await runNode(nodeWithTheOperation(), {
    credentials: harness.credentials,
    parameters: { resource: 'form', operation: 'getTitle', formId: '={{ $json.id }}' },
    items: [{ id: form?.id }, { id: 'unknown' }, { id: '' }, { id: `https://acme.neetoform.com/forms/${form?.id}` }],
    continueOnFail: true,
  });
  expect(items.map(({ json, pairedItem }) => [json, pairedItem])).toEqual([
    [{ id: form?.id, title: 'Form 1' }, { item: 0 }],
    [{ error: 'Form does not exist.' }, { item: 1 }],
    [{ error: "'Form' is empty" }, { item: 2 }],
    [{ id: form?.id, title: 'Form 1' }, { item: 3 }],
  ]);
  expect(items[1]?.error).toMatchObject({
    httpCode: '404',
    description: anyText(/'unknown'/),
    context: { itemIndex: 1 },
  });
  expect(harness.requests().sort()).toEqual(
    [
      `GET /v2/forms/${form?.id}`,
      `GET /v2/forms/${form?.id}`,
      'GET /v2/forms/unknown',
      'GET /v2/forms?order=desc&page=1&page_size=100',
    ].sort(),
  );
});
