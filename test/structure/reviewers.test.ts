import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';

import { NeetoForm } from '../../nodes/NeetoForm/NeetoForm.node';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';

// What n8n's reviewers look for and the published lint does not know. The order of choices is checked in descriptions.test.ts.

const trigger = new NeetoFormTrigger().description;
const nodes: Array<[string, INodeTypeDescription]> = [
  ['action node', new NeetoForm().description],
  ['trigger', trigger],
];

/** The fields and every field inside them. */
function withNested(fields: INodeProperties[]): INodeProperties[] {
  return fields.flatMap((field) => [
    field,
    ...(field.options ?? []).flatMap((option) =>
      'values' in option ? withNested(option.values) : 'type' in option ? withNested([option]) : [],
    ),
  ]);
}

describe.each(nodes)('the %s', (_name, { properties }) => {
  const fields = withNested(properties);

  it('has hints of 120 characters at most, and no field for JSON', () => {
    expect(fields.filter(({ hint = '' }) => hint.length > 120).map(({ name }) => name)).toEqual([]);
    expect(fields.filter(({ type }) => type === 'json').map(({ name }) => name)).toEqual([]);
  });
});

it('Trigger On has no tooltip', () => {
  const [field] = trigger.properties.filter(({ displayName }) => displayName === 'Trigger On');
  expect(field).toBeDefined();
  expect(field).not.toHaveProperty('description');
});

describe('an icon', () => {
  /** The relative luminance of a color such as #0ea5e9, by WCAG. */
  const luminance = (color: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const part = parseInt(color.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one: string, other: string): number => {
    const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };

  it.each([
    ['neetoForm.svg', '#ffffff'],
    ['neetoForm.dark.svg', '#2b2b2b'],
  ])('%s stands out from the background %s by 3:1', (file, background) => {
    const svg = readFileSync(join(__dirname, '../../icons', file), 'utf8');
    const colors = svg.match(/#[0-9a-f]{6}\b/gi) ?? [];
    expect(colors.length).toBeGreaterThan(0);
    expect(Math.max(...colors.map((color) => contrast(color, background)))).toBeGreaterThanOrEqual(3);
  });
});
