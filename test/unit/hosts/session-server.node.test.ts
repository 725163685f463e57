// Sessions on Node's own server, over the loopback. SERVER_RUNTIMES=deno,bun adds processes of other runtimes.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { expect, it } from 'vitest';
import { movedSessionContract } from '../../contract/moved-session.contract.ts';
import { wireContract } from '../../contract/wire.contract.ts';
import { listenOnNodeByEvents } from '../../../src/hosts/server/listen-node.ts';
import { connectSession } from '../../../src/wire/connect-session.ts';
import { fetchTicket } from '../../../src/wire/fetch-ticket.ts';
import { maxFrameBytes } from '../../../src/wire/pieces.ts';
import { installRuntime } from '../../support/wire/install-runtime.ts';
import type { ServerRuntime } from '../../support/wire/install-runtime.ts';
import { serveSessions } from '../../support/wire/serve-sessions.ts';
import { openServedWire } from '../../support/wire/served-wire.ts';
import { startServerProcess } from '../../support/wire/server-process.ts';

const makeFolder = () => mkdtempSync(join(tmpdir(), 'rockpool-served-'));

async function openNodeWire() {
  const folder = makeFolder();
  const { server, release } = await serveSessions({ folder, wasm: await loadQuickjsWasm() });
  const { url } = await server.listen({ port: 0 });
  const wire = await openServedWire({ url, release: async () => release() });
  return {
    ...wire,
    async close() {
      await wire.close();
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

async function openProcess(runtime: ServerRuntime) {
  const folder = makeFolder();
  const { url, kill } = await startServerProcess(installRuntime(runtime), folder);
  return {
    url,
    async close() {
      await kill();
      rmSync(folder, { recursive: true });
    },
  };
}

async function openProcessWire(runtime: ServerRuntime) {
  const { url, close } = await openProcess(runtime);
  const release = async () => void (await fetch(`${url}/release`));
  const wire = await openServedWire({ url, release });
  return {
    ...wire,
    async close() {
      await wire.close();
      await close();
    },
  };
}

wireContract('sockets of a server in Node', openNodeWire);

it('takes a ticket that is a text by events where it takes no socket', async () => {
  const folder = makeFolder();
  const { server } = await serveSessions({ folder, wasm: await loadQuickjsWasm() });
  const url = `${(await server.listen({ port: 0, transport: 'events' })).url}/sessions/s1/wire`;
  const ticket = await fetchTicket(url, { authorization: 'Bearer owner' });
  const session = await connectSession(url, { ticket });
  expect(session.access()).toBe('owner');
  await session.close();
  await expect(connectSession(url, { ticket })).rejects.toThrow('This ticket was used before');
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

it.each(['socket', 'events'] as const)(
  'gives files of 24 MiB to whoever follows them over one connection: %s',
  async (transport) => {
    const folder = makeFolder();
    const limits = { messageBytes: 33_554_432, bytesPerSecond: 33_554_432 };
    const wasm = await loadQuickjsWasm();
    const { server, errors } = await serveSessions({ folder, wasm, limits });
    const url = `${(await server.listen({ port: 0 })).url}/sessions/large/wire`;
    let tickets = 0;
    const connect = () =>
      connectSession(url, {
        transport,
        ticket() {
          tickets += 1;
          return fetchTicket(url, { authorization: 'Bearer owner' });
        },
      });
    const [owner, other] = [await connect(), await connect()];
    const files = await owner.followFiles();
    const bytes = new Uint8Array(25_165_824).fill(7);
    await files.fs.writeFile('/workspace/large.bin', bytes);
    const followed = await other.followFiles();
    expect(await followed.fs.stat('/workspace/large.bin')).toMatchObject({ size: bytes.length });
    // What is asked is answered behind it.
    expect(await other.supportedCommands()).not.toEqual([]);
    expect([tickets, errors]).toEqual([2, []]);
    for (const session of [owner, other]) await session.close();
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  },
);

it('tells its operator what authorize has thrown, and whoever asked a sentence', async () => {
  const folder = makeFolder();
  const thrown = new Error('no route to postgres://me:secret@db');
  const { server, errors } = await serveSessions({
    folder,
    wasm: await loadQuickjsWasm(),
    authorize: () => Promise.reject(thrown),
  });
  const { url } = await server.listen({ port: 0 });
  const answer = await fetch(`${url}/s1/wire/ticket`, { method: 'POST' });
  const message = 'The server failed, and its operator was told. Try again.';
  const error = { name: 'SdkError', message, code: 'internal', data: {} };
  expect([answer.status, await answer.json(), errors]).toEqual([500, { error }, [thrown]]);
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

it('is not made anew by a client that was connected when it was deleted', async () => {
  const folder = makeFolder();
  const { server } = await serveSessions({ folder, wasm: await loadQuickjsWasm() });
  const url = `${(await server.listen({ port: 0 })).url}/sessions/gone/wire`;
  const client = await connectSession(url, {
    ticket: () => fetchTicket(url, { authorization: 'Bearer owner' }),
  });
  await client.send('Hello.');
  await server.delete('gone');
  await expect.poll(() => client.connection()).toBe('closed');
  expect(await server.list()).toEqual([]);
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

// Linux tells which timers a socket has.
it.runIf(existsSync('/proc/net/tcp'))(
  'asks whether a client is there that says nothing',
  async () => {
    const listener = await listenOnNodeByEvents(async () => new Response('x'), {
      port: 0,
      hostname: '127.0.0.1',
    });
    const socket = connect(listener.port, '127.0.0.1');
    const port = listener.port.toString(16).toUpperCase().padStart(4, '0');
    const own = new RegExp(`^\\s*\\d+: 0100007F:${port} 0100007F:\\w+ 01 \\S+ (\\w\\w):`, 'mu');
    // 02: it keeps alive.
    const timer = () => own.exec(readFileSync('/proc/net/tcp', 'utf8'))?.[1];
    await expect.poll(timer).toBe('02');
    socket.destroy();
    await listener.close();
  },
);

for (const runtime of (process.env['SERVER_RUNTIMES'] ?? '').split(',').filter(Boolean)) {
  wireContract(
    `sockets of a process of ${runtime}`,
    () => openProcessWire(runtime as ServerRuntime),
    // Deno breaks a connection that it closes while its client still sends, which may then not hear why.
    { floods: runtime !== 'deno' },
  );
  movedSessionContract(`a process of ${runtime}`, async () => {
    const { url, close } = await openProcess(runtime as ServerRuntime);
    // More than the runtime takes as a frame.
    return { address: `${url}/sessions/moved/wire`, fileBytes: 2.5 * maxFrameBytes, close };
  });
}

it('asks what a session is made of for nobody who may not', async () => {
  const folder = makeFolder();
  const asked: string[] = [];
  const { server } = await serveSessions({
    folder,
    wasm: await loadQuickjsWasm(),
    session(id) {
      asked.push(id);
      throw new Error('There is no such session.');
    },
  });
  const { url } = await server.listen({ port: 0 });
  const address = `${url}/sessions/unknown/wire`;
  await expect(fetchTicket(address)).rejects.toMatchObject({ code: 'permission-denied' });
  expect(asked).toEqual([]);
  await expect(server.session('unknown')).rejects.toThrow('There is no such session.');
  expect(asked).toEqual(['unknown']);
  expect(existsSync(join(folder, 'unknown.sqlite'))).toBe(false);
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
