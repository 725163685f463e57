// The wire by server-sent events and POST, over real HTTP.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import { connectSession } from '../../../src/wire/connect-session.ts';
import { fetchTicket } from '../../../src/wire/fetch-ticket.ts';
import type { WireHandler } from '../../../src/wire/handle-requests.ts';
import { bringBack } from '../../../src/wire/handover/bring-back.ts';
import { createEventsLink, eventsType, protocolHeader } from '../../../src/wire/open-events.ts';
import { ticketPrefix, wireProtocol } from '../../../src/wire/protocol.ts';
import { wireContract } from '../../contract/wire.contract.ts';
import type { RawConnection, WireSubject } from '../../contract/wire.contract.ts';
import { openMemoryWire } from '../../support/wire/memory-wire.ts';

async function answer(handle: WireHandler, from: IncomingMessage, to: ServerResponse) {
  const { method = 'GET', headers, url = '/' } = from;
  const pieces: Buffer[] = [];
  for await (const piece of from) pieces.push(piece as Buffer);
  const request = new Request(`http://${headers.host}${url}`, {
    method,
    headers: headers as Record<string, string>,
    ...(method === 'POST' && { body: Buffer.concat(pieces) }),
  });
  const response = (await handle(request)) ?? new Response(null, { status: 404 });
  // A connection that is kept would be found dead by the request after a cut.
  to.setHeader('connection', 'close');
  to.writeHead(response.status, Object.fromEntries(response.headers));
  const reader = response.body?.getReader();
  to.on('close', () => void reader?.cancel().catch(() => undefined));
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done) break;
    to.write(value);
  }
  to.end();
}

async function openHttpWire(): Promise<WireSubject & { readonly url: string }> {
  const wire = await openMemoryWire();
  const server = createServer((from, to) => {
    answer(wire.handle, from, to).catch(() => to.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/s1/wire`;
  return {
    ...wire,
    url,
    connect: (given) => connectSession(url, { transport: 'events', ...given }),
    async openRaw([version = '', ticket = '']): Promise<RawConnection> {
      const credential = ticket.slice(ticketPrefix.length);
      if (version !== wireProtocol) {
        const response = await fetch(url, {
          method: 'POST',
          headers: {
            accept: eventsType,
            authorization: `Bearer ${credential}`,
            [protocolHeader]: version,
          },
        });
        const last = await response.text();
        return {
          send: () => undefined,
          closed: Promise.resolve({ code: 4000 + response.status, last }),
        };
      }
      let last = '';
      const { promise: closed, resolve: close } = createDeferred<{ code: number; last: string }>();
      const link = await createEventsLink(url)(credential, {
        onFrame: (frame) => void (last = typeof frame === 'string' ? frame : last),
        // There is no code: what was said last says why.
        onClose: () => close({ code: 1008, last }),
      });
      return { send: link.send, closed };
    },
    cut: async () => server.closeAllConnections(),
    async close() {
      await wire.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

// One request at a time is slower than the limit is.
wireContract('server-sent events and POST', openHttpWire, { floods: false });

it('connects by events where no WebSocket comes about, with tickets of the server', async () => {
  const { url, close } = await openHttpWire();
  const ticket = () => fetchTicket(url, { 'x-role': 'owner' });
  const session = await connectSession(url, { ticket });
  expect(session.access()).toBe('owner');
  await session.close();
  await expect(fetchTicket(url)).rejects.toThrow('This session is not yours to connect to.');
  await close();
  await expect(connectSession(url, { ticket })).rejects.toThrow('is out of reach');
});

it.each(['/', '?tenant=a', '/?tenant=a', '#top'])(
  'takes the address of a session with %s behind it',
  async (tail) => {
    const { url, close } = await openHttpWire();
    const address = `${url}${tail}`;
    const ticket = () => fetchTicket(address, { 'x-role': 'owner' });
    const session = await connectSession(address, { ticket });
    expect(session.access()).toBe('owner');
    await session.close();
    await close();
  },
);

it('says of a page that it is no session, and no place that one moves to', async () => {
  const page = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><p>Hello.</p>');
  });
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}/sessions/s1/wire`;
  const connecting = connectSession(url, { ticket: 'x' });
  await expect(connecting).rejects.toThrow(`What answers at ${url} is no session: a page, maybe.`);
  await using host = await createInlineHost();
  await expect(bringBack(url, { host, ticket: () => 'x' })).rejects.toMatchObject({
    code: 'invalid-input',
    message: expect.stringContaining(`${url}/move is no place that a session moves to`) as string,
  });
  await expect(fetchTicket(url)).rejects.toThrow('has answered with no ticket');
  page.closeAllConnections();
  page.close();
});
