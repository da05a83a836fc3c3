/** An active workflow, which watches the first of two forms, in which something was submitted before. */
export interface Stage {
  /** Submissions appear in the form that the workflow watches. @returns their IDs */
  submit(count: number): string[];
  /** Publishes the workflow, perhaps with a change of the trigger, or with another node behind it. */
  publish(edit: { name?: string; formId?: 'first' | 'second'; answerNames?: 'slug'; next?: string }): Promise<void>;
  unpublish(): Promise<void> | void;
  restart(): Promise<unknown>;
  /** Lets the trigger poll until so many are delivered, and twice more. @returns the IDs of all that were delivered */
  deliver(count: number): Promise<string[]>;
}

/** What may happen to an active workflow. The same script runs against the model of how n8n stores, and against n8n itself. */
export async function live({ submit, publish, unpublish, restart, deliver }: Stage): Promise<void> {
  const submitted: string[] = [];
  const add = (count: number) => submitted.push(...submit(count));
  /** Everything submitted to the form while the workflow watched it is delivered once. */
  const check = async () => expect((await deliver(submitted.length)).sort()).toEqual(submitted.toSorted());

  add(2);
  await check();
  add(1);
  await publish({ next: 'Another node' });
  add(1);
  await check();
  await unpublish();
  add(3);
  await publish({});
  await check();
  add(1);
  await publish({ name: 'New answers' });
  add(2);
  await check();
  await restart();
  add(1);
  await publish({ name: 'NeetoForm Trigger' });
  await check();
  await publish({ answerNames: 'slug' });
  await restart();
  add(2);
  await check();
  await publish({ formId: 'second' });
  add(2);
  await check();
  await restart();
  await publish({ formId: 'first' });
  add(1);
  await check();
}
