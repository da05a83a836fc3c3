import { createWorld, MINUTE, SECOND } from './world';

it.each(['memory', 'durable'] as const)(
  'hands out what comes between the publication with another form and the next poll (%s)',
  async (scheduler) => {
    const world = await createWorld({ scheduler, transport: 'inject' });
    await world.activate();
    const first = world.insert();
    world.advance(MINUTE);
    expect((await world.poll()).ids).toEqual([first]);
    const other = world.emulator.workspace.addForm({ title: 'Another' });
    world.emulator.workspace.addSubmission(other.id);

    world.poller = world.newPoller(world.poller.savedStaticData, { formId: other.id });
    await world.activate();
    world.advance(10 * SECOND);
    const { id } = world.emulator.workspace.addSubmission(other.id);
    world.advance(MINUTE);
    expect((await world.poll()).ids).toEqual([id]);
    await world.close();
  },
);

it('begins anew in another workspace, even when a form there has the same ID', async () => {
  const world = await createWorld();
  await world.activate();
  const first = world.insert();
  world.advance(MINUTE);
  expect((await world.poll()).ids).toEqual([first]);
  world.insert();

  world.poller = world.newPoller(world.poller.savedStaticData, { url: world.url.replace('127.0.0.1', 'localhost') });
  expect((await world.activate()).ids).toBeNull();
  world.advance(MINUTE);
  expect((await world.poll()).ids).toBeNull();
  const later = world.insert();
  world.advance(MINUTE);
  expect((await world.poll()).ids).toEqual([later]);
  await world.close();
});
