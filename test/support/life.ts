/** What users and time do to an active workflow: one script for the model of how n8n stores, and for n8n itself. */

/** What the user changes before publishing. */
export interface Edit {
  triggerName?: string;
  formId?: 'first' | 'second';
  answerNames?: 'label' | 'slug';
}

type Step =
  | { do: 'submit'; count: number }
  | { do: 'publish'; edit: Edit }
  | { do: 'unpublish' | 'restart' }
  /** Everything submitted to the form while the workflow watched it is delivered once. */
  | { do: 'check' };

export const LIFE: Step[] = [
  { do: 'submit', count: 2 },
  { do: 'check' },
  { do: 'unpublish' },
  { do: 'submit', count: 3 },
  { do: 'publish', edit: {} },
  { do: 'check' },
  { do: 'submit', count: 1 },
  { do: 'publish', edit: { triggerName: 'New answers' } },
  { do: 'submit', count: 2 },
  { do: 'check' },
  { do: 'restart' },
  { do: 'submit', count: 1 },
  { do: 'publish', edit: { triggerName: 'NeetoForm Trigger' } },
  { do: 'check' },
  { do: 'publish', edit: { answerNames: 'slug' } },
  { do: 'restart' },
  { do: 'submit', count: 2 },
  { do: 'check' },
  { do: 'publish', edit: { formId: 'second' } },
  { do: 'submit', count: 2 },
  { do: 'check' },
  { do: 'restart' },
  { do: 'publish', edit: { formId: 'first' } },
  { do: 'submit', count: 1 },
  { do: 'check' },
];

/** A workflow that is active on the first of two forms, in which something was submitted before. */
export interface Stage {
  /** Submissions appear in the form that the workflow watches. @returns their IDs */
  submit(count: number): string[];
  /** The user saves the change and publishes it. */
  publish(edit: Edit): Promise<void>;
  unpublish(): Promise<void> | void;
  restart(): Promise<void>;
  /** Lets the trigger poll until so many are delivered, and twice more. @returns the IDs of all that were delivered */
  deliver(count: number): Promise<string[]>;
}

/** Carries out the script. */
export async function live(stage: Stage): Promise<void> {
  const submitted: string[] = [];
  for (const step of LIFE)
    switch (step.do) {
      case 'submit':
        submitted.push(...stage.submit(step.count));
        break;
      case 'publish':
        await stage.publish(step.edit);
        break;
      case 'check':
        expect((await stage.deliver(submitted.length)).sort()).toEqual([...submitted].sort());
        break;
      default:
        await stage[step.do]();
    }
}
