import { NeetoFormApi } from '../../credentials/NeetoFormApi.credentials';
import { NeetoForm } from '../../nodes/NeetoForm/NeetoForm.node';
import { NeetoFormTrigger } from '../../nodes/NeetoForm/NeetoFormTrigger.node';
import { isObject } from '../support/engine/workflow';
import { expectGenerated, pathTo } from './repositoryFiles';

/** Shows a function by its name, as in `[function searchForms]`, and the keys of an object in alphabetical order, which no user sees. */
function readable(_key: string, value: unknown): unknown {
  if (typeof value === 'function') return `[function ${value.name}]`;
  return isObject(value)
    ? Object.fromEntries(
        Object.keys(value)
          .sort()
          .map((key) => [key, value[key]]),
      )
    : value;
}

// n8n adds fields of its own to what the package gives it, such as those under Settings > Request Options. They are not in the file.
it('what users see of both nodes and the credential changes only together with the file that lists it', () => {
  const seen = {
    neetoForm: new NeetoForm(),
    neetoFormTrigger: new NeetoFormTrigger(),
    neetoFormApi: new NeetoFormApi(),
  };
  expectGenerated(pathTo('test/repository/whatUsersSee.json'), `${JSON.stringify(seen, readable, 2)}\n`);
});
