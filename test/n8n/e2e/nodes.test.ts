import { describeChecks } from '../versions/checks.ts';
import { useTestInstance } from './support/instance.ts';

describe('in a real n8n instance', () => describeChecks(useTestInstance()));
