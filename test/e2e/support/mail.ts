import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** A mail server that accepts every message and keeps it. */
export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

export async function startMailServer() {
  /** The messages as they came, headers included. */
  const messages: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)));
    let content: string[] | undefined;
    const reply = (line: string) => socket.write(`${line}\r\n`);
    reply('220 ready');
    createInterface({ input: socket }).on('line', (line) => {
      if (content !== undefined && line !== '.') content.push(line);
      else if (content !== undefined) {
        messages.push(content.join('\n'));
        content = undefined;
        reply('250 accepted');
      } else if (line === 'DATA') {
        content = [];
        reply('354 go on');
      } else if (line === 'QUIT') socket.end('221 bye\r\n');
      else reply('250 ok');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    /** The messages with their parts decoded. */
    messages: () => messages.map(decode),
    credential: {
      name: 'Mail server',
      type: 'smtp',
      data: { user: '', password: '', host: '127.0.0.1', port, secure: false, disableStartTls: true, hostName: '' },
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Quoted-printable: `=` at the end of a line continues it, and `=C3=AB` are bytes. */
function decode(message: string): string {
  const bytes = message
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_match, digits: string) => String.fromCharCode(parseInt(digits, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
