import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IHttpRequestOptions, IPollFunctions } from 'n8n-workflow';
import { NeetoFormApi } from '../../credentials/NeetoFormApi.credentials';
import type { Delivery, Emulator } from '../../emulator/index.ts';
import { toText } from './outcome';
import type { VirtualTime } from '../support/virtualTime';

// Requests without a connection: the same routes and key check in this process, in virtual time.

type Send = (options: IHttpRequestOptions) => Promise<unknown>;

/** Sees every request of the node before it is sent. */
type Transport = (options: IHttpRequestOptions, send: Send) => Promise<unknown>;

/** ms of silence after which n8n gives up a request without a timeout of its own. */
const N8N_TIMEOUT_MS = 300_000;

/** What stands in for n8n's request helpers. @param url the address of the emulator, and of no other host */
export function inProcessRequests({ inject }: Emulator, time: VirtualTime, url: string) {
  const { authenticate } = new NeetoFormApi();
  if (typeof authenticate !== 'function') throw new Error('The credential signs by a function');

  const ask = async (request: Parameters<typeof inject>[0], { abortSignal }: IHttpRequestOptions) =>
    await time.run(async () => {
      // Without this wait, no other poll could run meanwhile.
      await nextTurn();
      if (abortSignal?.aborted === true) throw codedError('canceled', 'ERR_CANCELED');
      return await inject(request);
    });

  /** Sends a request in virtual time. @throws what n8n's request helper throws */
  const send: Send = async (options) => {
    const target = new URL(options.url, options.baseURL);
    if (!target.hostname.endsWith('.neetoform.com')) throw new Error(`Another host was called: ${target.origin}`);
    for (const [name, value] of Object.entries(options.qs ?? {})) target.searchParams.set(name, toText(value));
    const given = Object.entries(options.headers ?? {});
    const headers = Object.fromEntries(given.map(([name, value]) => [name, toText(value)]));
    const response = await ask({ url: target.pathname + target.search, headers }, options);
    const { timeout = N8N_TIMEOUT_MS, abortSignal } = options;
    // n8n's own timeout only notices that nothing arrives.
    const isSilent = response.silentMs > timeout;
    await time.pass(isSilent ? timeout : response.totalMs, abortSignal);
    if (isSilent) throw codedError('timeout exceeded', 'ECONNABORTED');
    return { ...response, body: Buffer.from(response.body) };
  };

  async function* piecesOf(body: Buffer, { silentMs, totalMs }: Delivery, { abortSignal }: IHttpRequestOptions) {
    const count = silentMs === 0 ? 1 : Math.ceil(totalMs / silentMs);
    const size = Math.ceil(body.length / count);
    for (let piece = 0; piece < count; piece++) {
      await time.pass(silentMs, abortSignal);
      yield body.subarray(piece * size, (piece + 1) * size);
    }
  }

  /** Opens a file. @throws what n8n's request helper throws */
  const openFile: Send = async (options) => {
    const { origin, pathname } = new URL(options.url);
    if (origin !== url) throw new Error(`Another host was called: ${origin}`);
    const { statusCode, headers, body, ...delivery } = await ask({ url: pathname }, options);
    if (delivery.silentMs === Infinity) await time.pass(Infinity, options.abortSignal);
    return { statusCode, headers, body: Readable.from(piecesOf(Buffer.from(body), delivery, options)) };
  };

  const transport: Transport = async (options, sendOn) => await sendOn(options);
  const requests = {
    transport,
    /** Gives a poll these requests instead of n8n's. */
    install(context: IPollFunctions): void {
      const sign = async (type: string, options: IHttpRequestOptions) =>
        await authenticate(await context.getCredentials(type), options);
      Object.assign(context.helpers, {
        httpRequestWithAuthentication: async (type: string, options: IHttpRequestOptions) =>
          await requests.transport(await sign(type, options), send),
        httpRequest: openFile,
      });
    },
  };
  return requests;
}

/** What n8n's request helper throws. */
export function codedError(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}
