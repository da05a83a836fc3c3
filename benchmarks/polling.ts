import type { INodeParameters } from 'n8n-workflow';

import type { Emulator } from '../emulator/index.ts';
import { POLL_INTERVAL_MS } from './clients.ts';
import { addForm, complete, type Harness, type Sample } from './harness.ts';
import { type Figure, figure, type Part, type Point } from './report.ts';

const HOUR = 3_600_000;

/** All active forms in workspaces of several sizes, each form with ten submissions of the last days: polls that find nothing. */
export async function pollIdleForms(harness: Harness, isQuick: boolean): Promise<Part> {
  const [sizes, polls] = isQuick ? [[10, 100], 12] : [[10, 100, 500, 2_000], 20];
  const [figures, points]: [Figure[], Point[]] = [[], []];
  for (const size of sizes) {
    const service = await harness.startService(true);
    for (let number = 1; number <= size; number += 1) addForm(service, 10, 12 * HOUR);
    const poll = await activate(harness, service, { triggerOn: 'allActive' });
    service.quirks.latencyMs = 50;
    const samples: Sample[] = [];
    for (let round = 0; round < polls; round += 1) samples.push(complete(await poll(), 0));
    await harness.end();
    const target = 5 + size / 8;
    const mean = (key: 'requests' | 'rows') => samples.reduce((sum, sample) => sum + sample[key], 0) / polls;
    points.push({ chart: 'forms', x: size, y: mean('requests'), series: 'requests' });
    points.push({ chart: 'forms', x: size, y: target, series: 'target' });
    const name = `Idle poll, ${size.toLocaleString('en-US')} forms`;
    figures.push(figure(`${name}: requests`, '', [mean('requests')], { atMost: target }));
    figures.push(figure(`${name}: submissions transferred`, '', [mean('rows')]));
    const seconds = samples.map(({ ms }) => ms / 1_000);
    if (size >= 500) figures.push(figure(`${name}, 50 ms: time`, 's', seconds));
  }
  return { figures, points };
}

/** Starts the trigger. Before each poll, the clocks of service and trigger are put forward by a minute. */
async function activate(harness: Harness, service: Emulator, parameters: INodeParameters) {
  const trigger = harness.startClient(service, { client: 'trigger', parameters });
  const poll = async (): Promise<Sample> => {
    service.clock.advance(POLL_INTERVAL_MS);
    return await trigger({});
  };
  complete(await poll(), 0);
  return poll;
}
