import { describeLife } from './support/life.ts';

describe('the life of an active workflow in a whole n8n, with its poll triggers in memory', () =>
  describeLife('memory'));
