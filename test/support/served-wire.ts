// A client's side of a session on a server over the loopback, as the wire's contract wants it: through a relay, whose
// connections can be cut. Node only.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { connectSession } from '../../src/wire/connect-session.ts';
import { fetchTicket } from '../../src/wire/fetch-ticket.ts';
import type { WireSubject } from '../contract/wire.contract.ts';

interface Relay {
  readonly port: number;
  cut(): void;
  close(): Promise<void>;
}

/** Passes all on to that port of this machine. */
async function openRelay(port: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  const relay = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.pipe(near);
  });
  await once(relay.listen(0, '127.0.0.1'), 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (relay.address() as AddressInfo).port,
    cut,
    async close() {
      relay.close();
      cut();
      await once(relay, 'close');
    },
  };
}

/** The session `s1` of the server at that address. `release`: of its model. */
export async function openServedWire({
  url,
  release,
}: {
  readonly url: string;
  readonly release: () => Promise<void>;
}): Promise<WireSubject> {
  const relay = await openRelay(Number(new URL(url).port));
  const wireUrl = `http://127.0.0.1:${relay.port}/sessions/s1/wire`;
  return {
    release,
    ticket: (role) => fetchTicket(wireUrl, { 'x-role': role }),
    connect: (given) => connectSession(wireUrl, { transport: 'socket', ...given }),
    openRaw: (protocols) => openRaw(wireUrl, protocols),
    cut: async () => relay.cut(),
    close: () => relay.close(),
  };
}

/** A WebSocket of this realm's own. */
async function openRaw(
  url: string,
  protocols: readonly string[],
): ReturnType<WireSubject['openRaw']> {
  const socket = new WebSocket(url.replace(/^http/u, 'ws'), [...protocols]);
  let last = '';
  const closed = new Promise<{ readonly code: number; readonly last: string }>((resolve) => {
    socket.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') last = data;
    });
    socket.addEventListener('close', ({ code }) => resolve({ code, last }));
  });
  await new Promise<void>((resolve) => {
    socket.addEventListener('open', () => resolve());
    void closed.then(() => resolve());
  });
  return {
    send(frame) {
      // It may be closed by what came before.
      if (socket.readyState === WebSocket.OPEN) socket.send(frame);
    },
    closed,
  };
}
