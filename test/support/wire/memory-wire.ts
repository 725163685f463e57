// Both sides of a wire in one realm: sockets are pairs of objects, and requests never leave it.
import { openSession } from '../../../src/agent/open-session.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { openWorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import { connectSession } from '../../../src/wire/connect-session.ts';
import { handleRequests } from '../../../src/wire/handle-requests.ts';
import type { WireHandler } from '../../../src/wire/handle-requests.ts';
import type { WireLimits } from '../../../src/wire/limits.ts';
import type { WireSocket } from '../../../src/wire/open-socket.ts';
import type { WireRole } from '../../../src/wire/protocol.ts';
import { serveSession } from '../../../src/wire/serve-session.ts';
import type { ClientSocket, SessionServer } from '../../../src/wire/serve-session.ts';
import { createMemoryTickets } from '../../../src/wire/tickets.ts';
import type { RawConnection, WireSubject } from '../../contract/wire.contract.ts';
import { createWireModel } from './wire-model.ts';

const wireUrl = 'https://example.org/s1/wire';

export interface MemoryWire extends WireSubject {
  readonly handle: WireHandler;
}

/** `now`: for tickets. */
export async function openMemoryWire(
  options: { readonly limits?: Partial<WireLimits>; readonly now?: () => number } = {},
): Promise<MemoryWire> {
  const writer = await openWorkspaceWriter(createMemoryMedium(), { name: 'wire' });
  const workspace = createWriterWorkspace(writer);
  const host = await createInlineHost({ workspace });
  const model = createWireModel();
  const session = await openSession({ host, model, sessionId: 's1', includePartialMessages: true });
  const server = serveSession({
    open: async () => session,
    files: async () => writer,
    ...(options.limits && { limits: options.limits }),
  });
  const sockets = new Set<PairedSocket>();
  /** By the answers that accept them. */
  const accepted = new WeakMap<Response, PairedSocket>();
  const clock = { now: options.now ?? Date.now, after: () => ({ [Symbol.dispose]() {} }) };
  const handle = handleRequests({
    server,
    tickets: createMemoryTickets(),
    authorize: async ({ headers }) => {
      const role = headers.get('x-role') as WireRole | null;
      return role ? { owner: 'ann', role } : undefined;
    },
    accept() {
      const socket = createPairedSocket(server);
      sockets.add(socket);
      const response = { status: 101 } as Response;
      accepted.set(response, socket);
      return { response, socket: socket.far };
    },
    clock,
  });
  async function createSocket(protocols: readonly string[]): Promise<PairedSocket> {
    const headers = { upgrade: 'websocket', 'sec-websocket-protocol': protocols.join(', ') };
    // By shape: in a browser these headers can't be set.
    const request = { url: wireUrl, method: 'GET', headers: toHeaders(headers) };
    const response = await handle(request as unknown as Request);
    const made = response && accepted.get(response);
    if (!made) throw new Error(`${response?.status}: ${await response?.text()}`);
    return made;
  }
  const ticket = async (role: WireRole) => {
    const request = new Request(`${wireUrl}/ticket`, {
      method: 'POST',
      headers: { 'x-role': role },
    });
    const body = (await (await handle(request))?.json()) as { readonly ticket: string };
    return body.ticket;
  };
  return {
    handle,
    ticket,
    connect: (given) =>
      connectSession(wireUrl, {
        transport: 'socket',
        createSocket: (_url, protocols) => createSocket(protocols),
        ...given,
      }),
    async openRaw(protocols): Promise<RawConnection> {
      const socket = await createSocket(protocols);
      return { send: (frame) => socket.send(frame), closed: toClosed(socket) };
    },
    async cut() {
      for (const socket of sockets) socket.cut();
      sockets.clear();
    },
    release: async () => model.release(),
    async close() {
      server[Symbol.dispose]();
      await session.close();
      await host[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

function toHeaders(all: Readonly<Record<string, string>>): Pick<Headers, 'get'> {
  return { get: (name) => all[name.toLowerCase()] ?? null };
}

/** Resolves when the server has closed it. */
function toClosed(socket: PairedSocket): RawConnection['closed'] {
  let last = '';
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') last = data;
  });
  return new Promise((resolve) => socket.onClosed((code) => resolve({ code, last })));
}

/** The client's end; `far` is the server's. */
export interface PairedSocket extends WireSocket {
  readonly readyState: number;
  readonly far: ClientSocket;
  cut(): void;
  onClosed(listener: (code: number) => void): void;
}

type Listener = (event: { readonly data: unknown; readonly code: number }) => void;

/** Data arrives a moment later, in order, and only after the receiver listens for the end. */
function createPairedSocket(server: SessionServer): PairedSocket {
  const listeners: Record<string, Listener[]> = { message: [], close: [] };
  let isClosed = false;
  let listen: () => void = () => undefined;
  let coming: Promise<unknown> = new Promise<void>((resolve) => (listen = resolve));
  let going: Promise<unknown> = Promise.resolve();
  const tell = (type: 'message' | 'close', event: { data: unknown; code: number }) => {
    coming = coming.then(() => {
      for (const listener of listeners[type] ?? []) listener(event);
    });
  };
  const close = (code: number) => {
    if (isClosed) return;
    isClosed = true;
    server.leave(far);
    tell('close', { data: undefined, code });
  };
  const far: ClientSocket = {
    send(frame) {
      const data = typeof frame === 'string' ? frame : frame.slice().buffer;
      if (!isClosed) tell('message', { data, code: 0 });
    },
    close,
  };
  return {
    readyState: 1,
    binaryType: 'arraybuffer',
    far,
    send(data) {
      const frame = typeof data === 'string' ? data : data.slice();
      going = going.then(() => void server.receive(far, frame));
    },
    close: () => close(1000),
    cut: () => close(1006),
    onClosed(listener) {
      listeners['close']?.push(({ code }) => listener(code));
      listen();
    },
    addEventListener(type: string, listener: unknown) {
      listeners[type]?.push(listener as Listener);
      if (type === 'close') listen();
    },
  };
}
