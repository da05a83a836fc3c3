import type { INodeParameters } from 'n8n-workflow';

import type { Emulator } from '../emulator/index.ts';
import { POLL_INTERVAL_MS } from './clients.ts';
import { addForm, complete, type Harness, type Sample } from './harness.ts';
import { type Figure, figure, type Part, type Point } from './report.ts';

const [MINUTE, HOUR] = [60_000, 3_600_000];

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

/** Polls that find nothing on one form with a hundred submissions a week, and then one of somebody who took a while. */
export async function pollOneForm(harness: Harness, isQuick: boolean): Promise<Part> {
  const figures: Figure[] = [];
  const longest = isQuick ? 15 : 60;
  for (const [text, tookMs] of [
    ['20 minutes', 20 * MINUTE],
    ['3 hours', 3 * HOUR],
    ['5 days', 120 * HOUR],
  ] as const) {
    const service = await harness.startService(true);
    const formId = addForm(service, 100, 100 * MINUTE);
    const poll = await activate(harness, service, oneForm(formId));
    const idle: Sample[] = [];
    for (let round = 0; round < 20; round += 1) idle.push(complete(await poll(), 0));
    // Somebody who is faster moves the cursor.
    service.workspace.addSubmission(formId);
    complete(await poll(), 1);
    service.workspace.addSubmission(formId, { createdAt: service.clock.now() - tookMs });
    let minutes = 1;
    while (minutes <= longest && (await poll()).items === 0) minutes += 1;
    await harness.end();
    if (figures.length === 0) {
      const mean = (key: 'requests' | 'rows') => idle.reduce((sum, sample) => sum + sample[key], 0) / idle.length;
      figures.push(figure('Idle poll, one form: requests', '', [mean('requests')], { atMost: 1.2 }));
      figures.push(figure('Idle poll, one form: submissions transferred', '', [mean('rows')], { atMost: 30 }));
    }
    const delay = minutes > longest ? Infinity : minutes;
    figures.push(figure(`Delay of a submission that took ${text} to fill in`, 'min', [delay], { atMost: 10 }));
  }
  return { figures };
}

/** A thousand new submissions in each of one or eight forms, one a second. */
export async function pollBacklogs(harness: Harness): Promise<Part> {
  const figures: Figure[] = [];
  for (const triggerOn of ['one', 'several', 'allActive'] as const) {
    const service = await harness.startService(false);
    const formIds = Array.from({ length: triggerOn === 'one' ? 1 : 8 }, () => addForm(service, 10));
    const [first = ''] = formIds;
    const parameters = { one: oneForm(first), several: { triggerOn, formIds }, allActive: { triggerOn } };
    const poll = await activate(harness, service, parameters[triggerOn]);
    const count = formIds.length * 1_000;
    for (let index = 0; index < count; index += 1) {
      service.clock.advance(1_000);
      service.workspace.addSubmission(formIds[index % formIds.length] ?? first);
    }
    let [requests, left] = [0, count];
    for (let polls = 0; left > 0 && polls < 100; polls += 1) {
      const sample = await poll();
      requests += sample.requests;
      left -= sample.items;
    }
    if (left !== 0) throw new Error(`${left} submissions of the backlog were not delivered`);
    await harness.end();
    const where = triggerOn === 'one' ? 'in one form' : `in each of eight forms (${triggerOn})`;
    const target = { atMost: triggerOn === 'one' ? 12 : 20 };
    const perThousand = (requests * 1_000) / count;
    figures.push(figure(`Backlog of 1,000 ${where}: requests per 1,000`, '', [perThousand], target));
  }
  return { figures };
}

function oneForm(value: string): INodeParameters {
  return { triggerOn: 'one', formId: { __rl: true, mode: 'id', value } };
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
