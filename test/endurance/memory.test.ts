import { describeKills } from './support/kills.ts';
import { describeLife } from './support/life.ts';

describe('an active workflow, with poll triggers in memory', () => describeLife('memory'));

describe('n8n killed in the middle of its polls, with poll triggers in memory', () => describeKills('memory'));
