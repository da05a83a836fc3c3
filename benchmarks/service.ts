import { startEmulator } from '../emulator/index.ts';
import { answerCalls } from './child.ts';
import { INTERVAL_MS, exampleForm, timeOf } from './submissions.ts';

/** Where the service is. */
export interface ServiceAddress {
  url: string;
  apiKey: string;
}

const handlers = {
  async start(): Promise<ServiceAddress> {
    return { url: emulator.url, apiKey: emulator.apiKey };
  },

  /** Adds a form with so many answered submissions, a minute apart. Returns its ID. */
  async addForm({ submissions }: { submissions: number }): Promise<string> {
    const { id } = emulator.workspace.addForm({ title: `Form of ${submissions}`, questions });
    for (let index = 0; index < submissions; index += 1) {
      emulator.workspace.addSubmission(id, { createdAt: timeOf(index), responses: answers[index % answers.length] });
    }
    return id;
  },

  /** Adds forms with so many submissions each, of the same times but without answers. Returns their IDs. */
  async addForms({ count, submissions }: { count: number; submissions: number }): Promise<string[]> {
    return Array.from({ length: count }, (_, index) => {
      const { id } = emulator.workspace.addForm({ title: `Form ${index + 1}`, questions });
      emulator.workspace.addHistory(id, { count: submissions, from: Date.parse(timeOf(0)), everyMs: INTERVAL_MS });
      return id;
    });
  },

  /** Adds a submission that is made now. */
  async submit({ formId }: { formId: string }): Promise<void> {
    emulator.workspace.addSubmission(formId, { responses: answers[0] });
  },

  /** Sets how long every response takes, ms. */
  async setLatency({ ms }: { ms: number }): Promise<void> {
    emulator.quirks.latencyMs = ms;
  },

  /** Puts the service's clock forward. */
  async skip({ ms }: { ms: number }): Promise<void> {
    emulator.clock.advance(ms);
  },

  async startCounting(): Promise<void> {
    emulator.requests.length = 0;
  },

  /** The number of requests since `startCounting`. */
  async requests(): Promise<number> {
    return emulator.requests.length;
  },
};

export type ServiceHandlers = typeof handlers;

const emulator = await startEmulator({ recordBodies: false });
const { questions, answers } = await exampleForm();
answerCalls(handlers);
