// The Worker of test/e2e/objects/wire-workerd.node.test.ts: a session that is connected to over real sockets.
import wasm from 'quickjs-wasi/quickjs.wasm';
import { createObjectWire, defineSessionObject } from '../../../src/edge.ts';
import type { DurableContext, SessionObjectHandlers, SocketContext } from '../../../src/edge.ts';
import { fetchTicket } from '../../../src/wire/fetch-ticket.ts';
import type { WireRole } from '../../../src/wire/protocol.ts';
import { createWireModel } from './wire-model.ts';

interface Bindings {
  /** Of the pages that may connect, beside its own. */
  readonly ORIGIN?: string;
  readonly SESSIONS: {
    idFromName(name: string): unknown;
    get(id: unknown): { fetch(request: Request): Promise<Response> };
  };
}

/** The role is what the header says: tests only. Asked for `/<name>/instances` it names those that there were. */
export class SessionObject {
  readonly #inner: SessionObjectHandlers;
  readonly #sql: DurableContext['storage']['sql'];

  constructor(ctx: DurableContext & SocketContext, env: Bindings) {
    this.#sql = ctx.storage.sql;
    this.#sql.exec('CREATE TABLE IF NOT EXISTS own_instance (id TEXT)');
    this.#sql.exec('INSERT INTO own_instance (id) VALUES (?)', crypto.randomUUID());
    const Inner = defineSessionObject(() => ({
      wasm,
      model: createWireModel(),
      options: { includePartialMessages: true },
      wire: createObjectWire(ctx, {
        authorize({ headers }) {
          const role = headers.get('authorization')?.slice('Bearer '.length) as
            WireRole | undefined;
          return role ? { owner: 'ann', role } : undefined;
        },
        ...(env.ORIGIN !== undefined && { origins: [env.ORIGIN] }),
        ...((ctx.id as { readonly name?: string }).name === 'for-two' && {
          limits: { clients: 2 },
        }),
      }),
    }));
    this.#inner = new Inner(ctx, env);
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname.endsWith('/instances')) {
      const rows = this.#sql.exec('SELECT id FROM own_instance ORDER BY rowid').toArray();
      return Response.json(rows.map(({ id }) => id));
    }
    if (!pathname.endsWith('/move-away')) return this.#inner.fetch(request);
    // The class's own: its session leaves for that address.
    const url = searchParams.get('url') ?? '';
    const ticket = () => fetchTicket(url, { authorization: 'Bearer owner' });
    await this.#inner.object.moves.moveTo(url, { ticket });
    return new Response('done');
  }

  alarm(): Promise<void> {
    return this.#inner.alarm();
  }

  webSocketMessage(socket: unknown, data: string | ArrayBuffer): Promise<void> {
    return this.#inner.webSocketMessage(socket, data);
  }

  webSocketClose(...event: [unknown, number, string, boolean]): Promise<void> {
    return this.#inner.webSocketClose(...event);
  }

  webSocketError(socket: unknown, error: unknown): Promise<void> {
    return this.#inner.webSocketError(socket, error);
  }
}

// house-rule: no-default-export: a Worker's main module is its default export
export default {
  fetch(request: Request, { SESSIONS }: Bindings): Promise<Response> {
    const [, name = ''] = new URL(request.url).pathname.split('/');
    return SESSIONS.get(SESSIONS.idFromName(name)).fetch(request);
  },
};
