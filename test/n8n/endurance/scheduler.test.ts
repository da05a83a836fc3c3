import { describeKills } from './support/kills.ts';
import { describeLife } from './support/describeLife.ts';

describe('an active workflow, on the scheduler, without durable cursors', () => describeLife('scheduler'));

describe('n8n killed in the middle of its polls, on the scheduler, without durable cursors', () =>
  describeKills('scheduler'));
