// A tab, connected over real sockets to a server of sessions in Node.
import { connectSession } from '../../../src/wire/connect-session.ts';
import { fetchTicket } from '../../../src/wire/fetch-ticket.ts';
import { wireContract } from '../../contract/wire.contract.ts';
import type { WireSubject } from '../../contract/wire.contract.ts';
import { openRawSocket } from '../../support/wire/raw-socket.ts';

async function ask(what = ''): Promise<string> {
  const response = await fetch(`/session-server${what}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

async function openTabsWire(): Promise<WireSubject> {
  const url = `${await ask()}/sessions/s1/wire`;
  return {
    ticket: (role) => fetchTicket(url, { authorization: `Bearer ${role}` }),
    connect: (given) => connectSession(url, { transport: 'socket', ...given }),
    openRaw: (protocols) => openRawSocket(url, protocols),
    cut: async () => void (await ask('/cut')),
    release: async () => void (await ask('/release')),
    close: async () => void (await ask('/end')),
  };
}

wireContract("a tab's sockets to a server in Node", openTabsWire);
