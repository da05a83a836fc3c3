import { describeLife } from './support/life.ts';

describe('the life of an active workflow in a real n8n instance, with its poll triggers in memory', () =>
  describeLife('memory'));
