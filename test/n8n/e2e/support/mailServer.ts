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
      if (mail) mails.push(withoutCodes(mail.join('\n')));
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

/** The quoted-printable encoding breaks long lines after an equals sign, and writes other characters as codes: `=C3=AB` is `ë`. */
function withoutCodes(text: string): string {
  const unbroken = text.replaceAll('=\n', '').replaceAll('%', '%25');
  return decodeURIComponent(unbroken.replace(/=(?=[0-9A-F]{2})/g, '%'));
}
