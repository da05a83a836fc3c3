import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A TCP port of the loopback that is free now: the preferred one if possible. */
export async function findFreePort(preferred = 0): Promise<number> {
  const server = createServer();
  try {
    server.listen(preferred, '127.0.0.1');
    await once(server, 'listening');
  } catch (error) {
    if (preferred === 0) throw error;
    return await findFreePort();
  }
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
