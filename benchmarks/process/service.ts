import type { Socket } from 'node:net';

import { startEmulator } from '../../emulator/index.ts';
import { answer } from './rpc.ts';
import { questions, submissionInputs } from './submissions.ts';

/** What the service saw since it was asked to count. */
export interface Counts {
  requests: number;
  connections: number;
  /** Sent by the service, headers included. */
  bytes: number;
  maxInFlight: number;
}

/** Where the service is. */
export interface ServiceAddress {
  url: string;
  apiKey: string;
}

const emulator = await startEmulator({ recordBodies: false });
const sockets = new Set<Socket>();
let connections = 0;
let bytesOfClosed = 0;
let bytesBefore = 0;

emulator.app.server.on('connection', (socket: Socket) => {
  connections += 1;
  sockets.add(socket);
  socket.once('close', () => {
    sockets.delete(socket);
    bytesOfClosed += socket.bytesWritten;
  });
});

const bytesWritten = (): number => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, bytesOfClosed);

const handlers = {
  async address(): Promise<ServiceAddress> {
    return { url: emulator.url, apiKey: emulator.apiKey };
  },

  /** Adds a form whose submissions are kept one by one, with answers. Gives its id. */
  async addForm({ rows }: { rows: number }): Promise<string> {
    const form = emulator.workspace.addForm({ title: `Form of ${rows}`, questions });
    for (const input of submissionInputs(rows)) emulator.workspace.addSubmission(form.id, input);
    return form.id;
  },

  /** Adds a form with a long past of empty submissions, a minute apart. Gives its id. */
  async addPast({ rows, newest }: { rows: number; newest: number }): Promise<string> {
    const form = emulator.workspace.addForm({ title: `Form of ${rows}`, questions });
    const everyMs = 60_000;
    emulator.workspace.addHistory(form.id, { count: rows, from: newest - (rows - 1) * everyMs, everyMs });
    return form.id;
  },

  async setLatency({ ms }: { ms: number }): Promise<void> {
    emulator.quirks.latencyMs = ms;
  },

  async startCounting(): Promise<void> {
    emulator.requests.length = 0;
    emulator.inFlight.max = emulator.inFlight.now;
    connections = 0;
    bytesBefore = bytesWritten();
  },

  async counts(): Promise<Counts> {
    return {
      requests: emulator.requests.length,
      connections,
      bytes: bytesWritten() - bytesBefore,
      maxInFlight: emulator.inFlight.max,
    };
  },
};

export type ServiceHandlers = typeof handlers;

answer(handlers);
