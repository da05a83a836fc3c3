import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

import type { NewCredential } from '../../../../n8n-runner/client.ts';

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/** Starts a mail server that keeps what it gets. */
export async function startMailServer() {
  const mails: string[] = [];
  const server = createServer((socket) => {
    // n8n keeps its connection open: it must not keep this process running.
    socket.unref();
    let received = '';
    let isMail = false;
    const reply = (line: string) => socket.write(`${line}\r\n`);
    reply('220 test');
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      received += chunk;
      for (;;) {
        const end = isMail ? '\r\n.\r\n' : '\r\n';
        const at = received.indexOf(end);
        if (at < 0) return;
        const part = received.slice(0, at);
        received = received.slice(at + end.length);
        if (isMail) mails.push(decoded(part));
        reply(/^DATA$/i.test(part) ? '354 go on' : /^QUIT$/i.test(part) ? '221 bye' : '250 ok');
        isMail = !isMail && /^DATA$/i.test(part);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    /** The mails so far, in their order: headers, and a readable body. */
    mails,
    /** What a user enters in n8n to send by this server. */
    credential: {
      name: 'Mail',
      type: 'smtp',
      data: { host: '127.0.0.1', port, secure: false, disableStartTls: true, user: '', password: '' },
    } satisfies NewCredential,
    close: () => void server.close(),
  };
}

/** A mail with its body as text, of which lines were broken and special characters written as their codes. */
function decoded(mail: string): string {
  const bytes = mail
    .replaceAll('=\r\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
