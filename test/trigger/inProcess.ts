import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IHttpRequestOptions, IPollFunctions } from 'n8n-workflow';
import { NeetoFormApi } from '../../credentials/NeetoFormApi.credentials';
import type { Delivery, Emulator } from '../../emulator/index.ts';
import { toText } from './outcome';
import type { VirtualTime } from '../support/virtualTime';

// Requests without a connection: the same routes and key check in this process, in virtual time.

/** Sees every request of the node before it is sent. */
type Transport = (
  options: IHttpRequestOptions,
  send: (options: IHttpRequestOptions) => Promise<unknown>,
) => Promise<unknown>;

/** ms of silence after which n8n gives up a request without a timeout of its own. */
const N8N_TIMEOUT_MS = 300_000;

/** What stands in for n8n's request helpers. */
export class InProcessRequests {
  transport: Transport = async (options, send) => await send(options);
  private readonly emulator: Emulator;
  private readonly url: string;
  private readonly time: VirtualTime;

  constructor(emulator: Emulator, time: VirtualTime, url: string) {
    this.url = url;
    this.emulator = emulator;
    this.time = time;
  }

  /** Gives a poll these requests instead of n8n's. */
  install(context: IPollFunctions): void {
    const send = async (options: IHttpRequestOptions) =>
      await this.transport(options, async (signed) => await this.inject(signed));
    Object.assign(context.helpers, {
      httpRequestWithAuthentication: signedBy(send),
      httpRequest: async (options: IHttpRequestOptions) => await this.openFile(options),
    });
  }

  /** Sends a request in virtual time. @throws what n8n's request helper throws */
  private async inject(options: IHttpRequestOptions): Promise<unknown> {
    const target = new URL(options.url, options.baseURL);
    if (!target.hostname.endsWith('.neetoform.com')) throw new Error(`Another host was called: ${target.origin}`);
    for (const [name, value] of Object.entries(options.qs ?? {})) target.searchParams.set(name, toText(value));
    const given = Object.entries(options.headers ?? {});
    const headers = Object.fromEntries(given.map(([name, value]) => [name, toText(value)]));
    const { body, ...response } = await this.ask({ url: target.pathname + target.search, headers }, options);
    await this.receive(options, response);
    return { ...response, body: Buffer.from(body) };
  }

  /** Lets virtual time pass until a response has arrived, is given up or is aborted. */
  private async receive(options: IHttpRequestOptions, { silentMs, totalMs }: Delivery): Promise<void> {
    const { timeout = N8N_TIMEOUT_MS } = options;
    // n8n's own timeout only notices that nothing arrives.
    const isSilent = silentMs > timeout;
    await this.time.pass(isSilent ? timeout : totalMs, options.abortSignal);
    if (isSilent) throw codedError('timeout exceeded', 'ECONNABORTED');
  }

  /** Opens a file. @throws what n8n's request helper throws */
  private async openFile(options: IHttpRequestOptions): Promise<unknown> {
    const { origin, pathname } = new URL(options.url);
    // No other host has the file.
    if (origin !== this.url) return { statusCode: 404, headers: {}, body: Readable.from([]) };
    const { statusCode, headers, body, ...delivery } = await this.ask({ url: pathname }, options);
    if (delivery.silentMs === Infinity) await this.time.pass(Infinity, options.abortSignal);
    return { statusCode, headers, body: Readable.from(this.piecesOf(Buffer.from(body), delivery, options)) };
  }

  private async ask(request: Parameters<Emulator['inject']>[0], { abortSignal }: IHttpRequestOptions) {
    return await this.time.run(async () => {
      // Without this wait, no other poll could run meanwhile.
      await nextTurn();
      if (abortSignal?.aborted === true) throw codedError('canceled', 'ERR_CANCELED');
      return await this.emulator.inject(request);
    });
  }

  private async *piecesOf(body: Buffer, { silentMs, totalMs }: Delivery, options: IHttpRequestOptions) {
    const count = silentMs === 0 ? 1 : Math.ceil(totalMs / silentMs);
    const size = Math.ceil(body.length / count);
    for (let piece = 0; piece < count; piece++) {
      await this.time.pass(silentMs, options.abortSignal);
      yield body.subarray(piece * size, (piece + 1) * size);
    }
  }
}

/** What n8n's request helper throws. */
export function codedError(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

function signedBy(send: (options: IHttpRequestOptions) => Promise<unknown>) {
  return async function (this: IPollFunctions, type: string, options: IHttpRequestOptions): Promise<unknown> {
    const { authenticate } = new NeetoFormApi();
    if (typeof authenticate !== 'function') throw new Error('The credential signs by a function');
    return await send(await authenticate(await this.getCredentials(type), options));
  };
}
