// The Worker of test/e2e/objects/loaded-objects.node.test.ts: sessions of many tenants in one isolate, and
// one directory per tenant. An object is named `<tenant>.<session>`. Each has a secret that no
// other object may see.
import wasm from 'quickjs-wasi/quickjs.wasm';
import {
  connectDirectory,
  createObjectWire,
  createSessionDirectory,
  createSessionObject,
} from '../../../src/edge.ts';
import type { DurableContext, DurableStorage, SocketContext } from '../../../src/edge.ts';
import { loadedModel } from './loaded-model.ts';

interface Namespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}

interface Bindings {
  readonly SESSIONS: Namespace;
  readonly OWNERS: Namespace;
}

/** The part of the runtime's context that is used here. */
type Context = DurableContext & SocketContext & { abort(reason: string): void };

/** A session, which only its tenant may use. */
export class SessionObject {
  readonly #ctx: Context;
  readonly #object: ReturnType<typeof createSessionObject>;

  constructor(ctx: Context, { OWNERS }: Bindings) {
    this.#ctx = ctx;
    const { sql } = ctx.storage;
    sql.exec('CREATE TABLE IF NOT EXISTS own_name (one INTEGER PRIMARY KEY, name TEXT)');
    const tenant = () => {
      const [row] = sql.exec('SELECT name FROM own_name').toArray();
      return String(row?.['name']).split('.')[0] ?? '';
    };
    this.#object = createSessionObject(ctx, {
      wasm,
      model: loadedModel,
      directory: connectDirectory(() => OWNERS.get(OWNERS.idFromName(tenant()))),
      wire: createObjectWire(ctx, {
        authorize({ headers }) {
          const owner = headers.get('x-tenant');
          return owner === tenant() ? { owner, role: 'owner' } : undefined;
        },
      }),
      options: {
        tools: ['Grep', 'Read', 'Repl', 'Write'],
        permissionMode: 'bypassPermissions',
        includePartialMessages: true,
      },
    });
  }

  async fetch(request: Request): Promise<Response> {
    const [, name = '', what] = new URL(request.url).pathname.split('/');
    // An object that is woken by an alarm doesn't know its name.
    const { sql } = this.#ctx.storage;
    sql.exec('INSERT OR REPLACE INTO own_name (one, name) VALUES (1, ?)', name);
    if (what === 'abort') this.#ctx.abort('The test takes the instance away.');
    if (what === 'alarm') return Response.json(await this.#ctx.storage.getAlarm());
    return (await this.#object.fetch(request)) ?? new Response(null, { status: 404 });
  }

  async alarm(): Promise<void> {
    await this.#object.alarm();
  }

  async webSocketMessage(socket: unknown, data: string | ArrayBuffer): Promise<void> {
    await this.#object.webSocketMessage(socket, data);
  }

  async webSocketClose(...event: [unknown, number, string, boolean]): Promise<void> {
    await this.#object.webSocketClose(...event);
  }

  async webSocketError(socket: unknown, error: unknown): Promise<void> {
    await this.#object.webSocketError(socket, error);
  }
}

/** A tenant's directory. */
export class OwnerObject {
  readonly #directory: ReturnType<typeof createSessionDirectory>;

  constructor(ctx: { readonly storage: DurableStorage }) {
    this.#directory = createSessionDirectory(ctx, { deleteSession: async () => undefined });
  }

  async fetch(request: Request): Promise<Response> {
    const answer = await this.#directory.fetch(request);
    return answer ?? Response.json(await this.#directory.list());
  }
}

/** The id of this isolate. It differs after a restart of the runtime. */
let isolate: string | undefined;

// house-rule: no-default-export: a Worker's main module is its default export
export default {
  async fetch(request: Request, { SESSIONS, OWNERS }: Bindings): Promise<Response> {
    isolate ??= crypto.randomUUID();
    const [, name = ''] = new URL(request.url).pathname.split('/');
    if (name === 'collect') return Response.json({ isolate, collected: collect() });
    const namespace = name.includes('.') ? SESSIONS : OWNERS;
    return namespace.get(namespace.idFromName(name)).fetch(request);
  },
};

/** Defined because V8 runs with `--expose-gc`. */
function collect(): boolean {
  const { gc } = globalThis as { readonly gc?: () => void };
  gc?.();
  return gc !== undefined;
}
