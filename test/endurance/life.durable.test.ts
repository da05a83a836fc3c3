import { describeLife } from './support/life.ts';

describe('the life of an active workflow in a real n8n instance, with durable cursors', () => describeLife('durable'));
