// A server on the loopback that hears whatever comes: requests and handshakes by TCP, datagrams by UDP. Node only.
import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Listener extends AsyncDisposable {
  /** Without a slash at its end. */
  readonly url: string;
  readonly udpPort: number;
  /** `where way` of each that came. */
  readonly hits: ReadonlySet<string>;
  /** Resolves when all of these have come. */
  whenHeard(hits: readonly string[]): Promise<void>;
  whenDatagram(): Promise<void>;
}

export async function startListener(): Promise<Listener> {
  const hits = new Set<string>();
  let datagrams = 0;
  const checks = new Set<() => void>();
  const tell = () => checks.forEach((check) => check());
  const hear = (path = '') => {
    const [, where = '', way = ''] = path.split(/[/?]/u);
    hits.add(`${where} ${way}`);
    tell();
  };
  const server = createServer((request, response) => {
    hear(request.url);
    response.setHeader('access-control-allow-origin', '*');
    if (request.url?.includes('/download')) {
      response.setHeader('content-disposition', 'attachment; filename="secret.txt"');
    }
    const isScript = request.url?.includes('/worker') === true;
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/plain');
    response.end('');
  });
  server.on('upgrade', (request, socket) => {
    hear(request.url);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const udp = createSocket('udp4');
  udp.on('message', () => {
    datagrams += 1;
    tell();
  });
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
  const until = (isSo: () => boolean) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (!isSo()) return;
        checks.delete(check);
        resolve();
      };
      checks.add(check);
      check();
    });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    udpPort: udp.address().port,
    hits,
    whenHeard: (wanted) => until(() => wanted.every((one) => hits.has(one))),
    whenDatagram: () => until(() => datagrams > 0),
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await new Promise<void>((resolve) => udp.close(() => resolve()));
    },
  };
}
