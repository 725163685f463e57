// The Durable Objects that the workerd tests run in, and send calls to (vitest.config.ts binds them).
import { DurableObject } from 'cloudflare:workers';
import wasm from 'quickjs-wasi/quickjs.wasm';
import * as z from 'zod';
import {
  connectDirectory,
  createObjectWire,
  createSessionDirectory,
  createSessionObject,
  serveCalls,
  workers,
  type SessionObject,
  type SocketContext,
  type WorkerToolEntry,
} from '../../src/edge.ts';
import { createScriptedModel } from '../../src/model/scripted.ts';
import type { WireRole } from '../../src/wire/protocol.ts';
import { createWireModel } from '../support/wire/wire-model.ts';

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- the Workers types are extended so
  namespace Cloudflare {
    interface Env {
      readonly STORE: DurableObjectNamespace<StoreObject>;
      readonly KEY_VALUE: DurableObjectNamespace<KeyValueObject>;
      readonly CALLS: DurableObjectNamespace<CallsObject>;
      readonly OWNERS: DurableObjectNamespace<OwnerObject>;
      readonly TURNS: DurableObjectNamespace<TurnsObject>;
      readonly WIRE: DurableObjectNamespace<WireObject>;
      /** Each tells the URL of a server that it has started. */
      readonly EVERYTHING: Fetcher;
      readonly LOGINS: Fetcher;
      readonly GIT: Fetcher;
      readonly ARCHIVE: R2Bucket;
      readonly CONTENTS: R2Bucket;
    }
  }
}

/** An object with a SQLite database and nothing else: tests get its storage by `runInDurableObject`. */
export class StoreObject extends DurableObject {}

/** An object whose class has no SQLite. */
export class KeyValueObject extends DurableObject {}

const entry = (
  name: string,
  handler: Awaited<ReturnType<WorkerToolEntry['load']>>['handler'],
): WorkerToolEntry => ({
  name,
  load: () => Promise.resolve({ inputSchema: z.looseObject({}), handler }),
});

/** An object that calls are sent to: the built-in tools, and some that tell where they are. */
export class CallsObject extends DurableObject {
  /** Calls of `Hold` that were cut. */
  #cut = 0;
  readonly #serve = serveCalls(
    [
      ...workers,
      entry('Where', async () => this.ctx.id.name),
      entry('Hold', (_input, { signal, progress }) => {
        progress('held');
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            this.#cut += 1;
            reject(signal.reason);
          });
        });
      }),
      entry('Cut', async () => this.#cut),
      entry('Break', async () => this.ctx.abort('It broke.')),
    ],
    { wasm },
  );

  override fetch(request: Request): Promise<Response> {
    return this.#serve(request);
  }
}

/** An owner whose sessions run one at a time, on a small budget. */
export class OwnerObject extends DurableObject {
  readonly directory = createSessionDirectory(this.ctx, {
    quotas: { turns: 1 },
    budget: { tokens: 100_000, period: 'ever' },
    deleteSession: async () => undefined,
  });

  override async fetch(request: Request): Promise<Response> {
    return (await this.directory.fetch(request)) ?? new Response(null, { status: 404 });
  }
}

/** A session that asks the owner whom its name begins with. */
export class TurnsObject extends DurableObject<Cloudflare.Env> {
  readonly object = createSessionObject(this.ctx, {
    wasm,
    sessionId: '6ff0c1d5-6f0f-4b7e-8a63-000000000001',
    model: createScriptedModel({
      script: { turns: [1, 2, 3].map((n) => ({ blocks: [{ type: 'text', text: `${n}` }] })) },
    }),
    directory: connectDirectory(() =>
      this.env.OWNERS.getByName(String(this.ctx.id.name).split('/')[0] ?? ''),
    ),
  });

  override async alarm(): Promise<void> {
    await this.object.alarm();
  }
}

/** A session that is connected to. The role is what the header says: tests only. */
export class WireObject extends DurableObject {
  readonly model = createWireModel();
  /** Another one for each instance. */
  readonly instance = crypto.randomUUID();
  readonly session: SessionObject = createSessionObject(this.ctx, {
    wasm,
    model: this.model,
    options: { includePartialMessages: true },
    wire: createObjectWire(this.ctx as unknown as SocketContext, {
      authorize({ headers }) {
        const role = headers.get('x-role') as WireRole | null;
        return role ? { owner: 'ann', role } : undefined;
      },
    }),
  });

  override async fetch(request: Request): Promise<Response> {
    return (await this.session.fetch(request)) ?? new Response(null, { status: 404 });
  }

  override async alarm(): Promise<void> {
    await this.session.alarm();
  }

  override async webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): Promise<void> {
    await this.session.webSocketMessage(socket, data);
  }

  override async webSocketClose(
    ...event: [socket: WebSocket, code: number, reason: string, wasClean: boolean]
  ): Promise<void> {
    await this.session.webSocketClose(...event);
  }

  override async webSocketError(socket: WebSocket, error: unknown): Promise<void> {
    await this.session.webSocketError(socket, error);
  }
}
