import { describeKills } from './support/kills.ts';
import { describeLife } from './support/describeLife.ts';

describe('an active workflow, with durable cursors', () => describeLife('durable'));

describe('n8n killed in the middle of its polls, with durable cursors', () => describeKills('durable'));
