import { createWorld, SECOND, type World } from './world';

describe.each(['memory', 'durable'] as const)('while n8n stores what a poll handed out (%s)', (scheduler) => {
  let world: World;
  let id: string;
  beforeEach(async () => {
    world = await createWorld({ scheduler, transport: 'inject' });
    await world.activate();
    world.advance(60 * SECOND);
    await world.poll();
    id = world.insert();
    const before = structuredClone(world.kept);
    expect((await world.poll()).ids).toEqual([id]);
    world.poller.staticData = before;
  });
  afterEach(async () => await world.close());

  it('hands out nothing to a poll that begins from the place before, and leaves that place as it is', async () => {
    world.advance(5 * SECOND);
    const { ids, staticData, staticDataBefore } = await world.poll();
    expect(ids).toBeNull();
    expect(staticData).toEqual(staticDataBefore);
  });

  it('hands it out again when n8n has not stored it in the end', async () => {
    world.advance(60 * SECOND);
    expect((await world.poll()).ids).toEqual([id]);
  });

  it('is not held up by a clock that is set back', async () => {
    world.localSkew = -60 * SECOND;
    expect((await world.poll()).ids).toEqual([id]);
  });
});
