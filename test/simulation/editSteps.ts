/** What a user changes in the workflow, which is then published again. */

import { Poller } from '../support/engine';
import { Step, type ByTrigger } from './step';
import type { World } from './world';

/** The user edits the workflow and publishes it. */
abstract class Edit<Details extends object> extends Step<Details> {
  abstract edit(world: World): Promise<void>;

  override async run(_model: object, world: World): Promise<void> {
    // What a crash tore apart is put together by the next poll.
    if (world.triggers.every(({ isTorn }) => !isTorn)) await this.edit(world);
  }
}

/** The forms chosen are the first one and these, or the first of these where one form is watched. */
export class EditForms extends Edit<ByTrigger & { forms: number[] }> {
  async edit(world: World): Promise<void> {
    const { triggerOn } = world.settings;
    if (triggerOn === 'allActive') return;
    const trigger = world.triggerAt(this.is.trigger);
    const before = world.formsOf(trigger);
    const chosen = this.is.forms.map((form) => world.formAt(form));
    trigger.formIds = triggerOn === 'one' ? chosen : [...new Set([world.harness.formId, ...chosen])];
    const after = world.formsOf(trigger);
    for (const formId of before) if (!after.includes(formId)) trigger.ledger.unwatch(formId);
    const formIds = after.filter((formId) => !before.includes(formId));
    const { parameters } = world.nodeOf(trigger);
    const change = world.replaceNode(trigger, (node) => ({ ...node, parameters }));
    await world.publish(change, [{ trigger, formIds }]);
  }
}

export class RenameNode extends Edit<ByTrigger & { name: string }> {
  async edit(world: World): Promise<void> {
    const { name } = this.is;
    if (world.workflow.currentNodes.some((node) => node.name === name)) return;
    const trigger = world.triggerAt(this.is.trigger);
    await world.publish(
      world.replaceNode(trigger, (node) => ({ ...node, name })),
      [],
    );
  }
}

/** Each trigger gets the name of the next. */
export class SwapNames extends Edit<object> {
  async edit(world: World): Promise<void> {
    const names = world.workflow.currentNodes.map(({ name }) => name);
    const swapped = [...names.slice(1), ...names.slice(0, 1)];
    await world.publish((nodes) => nodes.map((node, nth) => ({ ...node, name: swapped[nth] ?? node.name })), []);
  }
}

/** The trigger is copied, or replaced by a copy with its name. */
export class CopyNode extends Edit<ByTrigger & { isReplaced: boolean }> {
  async edit(world: World): Promise<void> {
    const original = world.triggerAt(this.is.trigger);
    const { isReplaced } = this.is;
    if (!isReplaced && world.triggers.length >= 3) return;
    const copy = world.newTrigger(original.formIds);
    const taken = world.workflow.currentNodes.map(({ name }) => name);
    const name = ['Trigger 1', 'Trigger 2', 'Trigger 3', 'Trigger 4'].find((free) => !taken.includes(free)) ?? '';
    const source = new Poller(world.workflow, original.id).node;
    const node = { ...source, ...world.nodeOf(copy), ...(!isReplaced && { name }) };
    const starts = [{ trigger: copy, formIds: world.formsOf(copy) }];
    world.triggers.push(copy);
    if (isReplaced) world.triggers = world.triggers.filter((trigger) => trigger !== original);
    await world.publish((nodes) => [...nodes.filter(({ id }) => !isReplaced || id !== original.id), node], starts);
  }
}

/** The trigger gets the credential of another workspace, in which the forms have the same IDs. */
export class SwitchWorkspace extends Edit<ByTrigger> {
  async edit(world: World): Promise<void> {
    const trigger = world.triggerAt(this.is.trigger);
    const change = world.replaceNode(trigger, (node) => {
      const credentials = structuredClone(node.credentials ?? {});
      for (const each of Object.values(credentials)) each.id = each.id === 'here' ? 'elsewhere' : 'here';
      return { ...node, credentials };
    });
    await world.publish(change, [{ trigger, formIds: world.formsOf(trigger) }]);
  }
}
