import type { IDataObject } from 'n8n-workflow';
import type { ApiResponse } from '../api/request';
import { operation, type About, type Operation, type Prepare } from './operation';

interface One {
  about: About;
  prepare?: Prepare[];
  /** The item in the answer; throws UnexpectedResponse when it is not there. */
  item: (response: ApiResponse) => IDataObject;
}

/** An operation that sends one request and gives one item. */
export function one({ about, prepare = [], item }: One): Operation {
  return operation(about, async (call) => {
    for (const step of prepare) step(call);
    return [{ json: item(await call.send()) }];
  });
}
