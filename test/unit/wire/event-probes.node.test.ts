// Clients by server-sent events are probed: a runtime that notices an end when it sends learns of it without a message.
import { expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import { handleRequests } from '../../../src/wire/handle-requests.ts';
import { eventsType, protocolHeader } from '../../../src/wire/open-events.ts';
import { wireProtocol } from '../../../src/wire/protocol.ts';
import { serveSession } from '../../../src/wire/serve-session.ts';
import { createMemoryTickets, issueTicket } from '../../../src/wire/tickets.ts';

it('probes each client every 30 s and where another one asks for a ticket, while there is one', async () => {
  const clock = createVirtualClock();
  const tickets = createMemoryTickets();
  const server = serveSession({ open: () => Promise.reject(new Error('Nobody says hello.')) });
  const handle = handleRequests({
    ...{ server, tickets, clock },
    authorize: () => ({ owner: 'ann', role: 'owner' }),
    accept: () => {
      throw new Error('No socket comes.');
    },
  });
  const post = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
    (await handle(new Request(`https://example.org${path}`, { method: 'POST', headers })))?.body;
  const connect = async () => {
    const ticket = await issueTicket(tickets, { owner: 'ann', role: 'owner' }, clock.now());
    const body = await post('/s1/wire', {
      accept: eventsType,
      authorization: `Bearer ${ticket}`,
      [protocolHeader]: wireProtocol,
    });
    const reader = body?.getReader();
    await reader?.read();
    return reader;
  };
  const read = async (reader: Awaited<ReturnType<typeof connect>>) =>
    new TextDecoder().decode((await reader?.read())?.value);

  const [one, other] = [await connect(), await connect()];
  await post('/s1/wire/ticket');
  expect([await read(one), await read(other)]).toEqual([':\n\n', ':\n\n']);
  await other?.cancel();
  for (let round = 0; round < 2; round += 1) {
    clock.advance(30_000);
    expect(await read(one)).toBe(':\n\n');
  }
  expect([server.size, clock.pending()]).toEqual([1, 1]);
  await one?.cancel();
  expect([server.size, clock.pending()]).toEqual([0, 0]);
});
