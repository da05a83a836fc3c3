import type { INodeProperties } from 'n8n-workflow';

import { outputOptions } from '../../nodes/NeetoForm/fields/submissionOutput';
import { itemsOf, parsedOptions } from '../pure/items';
import { readText } from './repositoryFiles';

const outputInReadme = /^## Output\n[^]*?(?=^## )/m.exec(readText('README.md'))?.[0];
const equalLabels = /^- \*\*Equal labels\*\*.*/m.exec(readText('docs/expressions.md'))?.[0];

const options: INodeProperties[] = Object.values(outputOptions);

/** A default as users read it. */
function shownDefault({ type, default: value, options: choices = [] }: INodeProperties): string {
  if (type === 'boolean') return value === true ? 'on' : 'off';
  if (type === 'multiOptions') return 'all';
  return choices.find((choice) => 'value' in choice && choice.value === value)?.name ?? 'none';
}

it.each(options)('the README explains $displayName with its default', (option) => {
  expect(outputInReadme).toContain(`\n- **${option.displayName}** (${shownDefault(option)}): `);
});

it.each(options.filter(({ type }) => type === 'boolean'))(
  'the rule for equal labels names every key of a row besides its answers, also with $displayName turned',
  ({ name, default: isOn }) => {
    const rows = itemsOf([{ id: 'id' }], parsedOptions({ [`options.${name}`]: isOn !== true }));
    for (const key of rows.flatMap(({ json }) => Object.keys(json))) expect(equalLabels).toContain(`\`${key}\``);
  },
);
