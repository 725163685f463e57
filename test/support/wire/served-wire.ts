// A client's side of a session on a server over the loopback, as the wire's contract wants it. It
// goes through a relay, whose connections can be cut. Node only.
import { connectSession } from '../../../src/wire/connect-session.ts';
import { fetchTicket } from '../../../src/wire/fetch-ticket.ts';
import type { WireSubject } from '../../contract/wire.contract.ts';
import { openRawSocket } from './raw-socket.ts';
import { openRelay } from './relay.ts';

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
    ticket: (role) => fetchTicket(wireUrl, { authorization: `Bearer ${role}` }),
    connect: (given) => connectSession(wireUrl, { transport: 'socket', ...given }),
    openRaw: (protocols) => openRawSocket(wireUrl, protocols),
    cut: async () => relay.cut(),
    close: () => relay.close(),
  };
}
