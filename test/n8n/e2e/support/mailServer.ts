import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';

import type { NewCredential } from '../../../../n8n-runner/client.ts';

/** Starts a mail server that keeps what it gets. It ends with this process. */
export async function startMailServer() {
  const mails: string[] = [];
  const server = createServer((socket) => {
    // n8n keeps its connection open: it must not keep this process running.
    socket.unref();
    const reply = (line: string) => socket.write(`${line}\r\n`);
    reply('220 test');
    let mail: string[] | undefined;
    createInterface(socket).on('line', (line) => {
      if (mail && line !== '.') return void mail.push(line);
      // Long lines are broken, and the equals sign has a code.
      if (mail) mails.push(mail.join('\n').replaceAll('=\n', '').replaceAll('=3D', '='));
      mail = /^DATA$/i.test(line) ? [] : undefined;
      return reply(mail ? '354 go on' : '250 ok');
    });
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    /** The mails so far, in their order: headers and body. */
    mails,
    credential: {
      name: 'Mail',
      type: 'smtp',
      data: { host: '127.0.0.1', port, secure: false, disableStartTls: true, user: '', password: '' },
    } satisfies NewCredential,
  };
}
