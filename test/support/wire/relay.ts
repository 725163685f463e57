// Passes connections on to a port of this machine, until they are cut as a network does it. Node only.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface Relay {
  readonly port: number;
  cut(): void;
  close(): Promise<void>;
}

/** Passes all on to that port of this machine. */
export async function openRelay(port: number): Promise<Relay> {
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
