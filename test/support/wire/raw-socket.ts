// A connection of the wire's without a client, by the WebSocket of this realm.
import type { WireSubject } from '../../contract/wire.contract.ts';

export async function openRawSocket(
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
