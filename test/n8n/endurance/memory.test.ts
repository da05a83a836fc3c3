import { describeKills } from './support/kills.ts';
import { describeLife } from './support/describeLife.ts';

describe('an active workflow, in memory', () => describeLife('memory'));

describe('n8n killed in the middle of its polls, in memory', () => describeKills('memory'));
