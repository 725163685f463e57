// The Worker of test/e2e/objects/mixed-sequences.node.test.ts: a session whose model runs a cell for each prompt that it is given.
import { DurableObject } from 'cloudflare:workers';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { createObjectWire, createSessionObject } from '../../../src/edge.ts';
import type {
  ArchiveBucket,
  ContentsBucket,
  DurableContext,
  SessionObject as Inner,
  SocketContext,
} from '../../../src/edge.ts';
import type { MessageParam } from '../../../src/core/messages/messages.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { mixedReply } from './mixed-reply.ts';

interface Fetcher {
  fetch(request: Request): Promise<Response>;
}

/** What the test binds. */
interface Bindings {
  readonly OUTSIDE: Fetcher;
  readonly SESSIONS: { idFromName(name: string): unknown; get(id: unknown): Fetcher };
  readonly CONTENTS: ContentsBucket & ArchiveBucket;
  /** Which code runs. */
  readonly VERSION?: string;
}

type Context = DurableContext & SocketContext & { abort(reason: string): void };

export class SessionObject extends DurableObject {
  readonly #ctx: Context;
  readonly #outside: Fetcher;
  readonly #object: Inner;

  constructor(ctx: Context, bindings: Bindings) {
    super(ctx, bindings);
    const { OUTSIDE, CONTENTS, VERSION = '1' } = bindings;
    this.#ctx = ctx;
    this.#outside = OUTSIDE;
    const tell = () => this.#tell();
    this.#object = createSessionObject(ctx, {
      wasm,
      version: VERSION,
      model: {
        name: 'claude-test',
        apiKeySource: 'none',
        contextWindow: 10_000_000,
        maxTokens: 1_000,
        stream: async function* ({ messages }: { messages: readonly MessageParam[] }) {
          await tell();
          yield* toEvents(mixedReply({ messages }));
        },
      },
      contents: { bucket: CONTENTS, minBytes: 65_536 },
      archive: { bucket: CONTENTS },
      options: { allowedTools: ['Repl', 'Agent'] },
      wire: createObjectWire(ctx, { authorize: () => ({ owner: 'ann', role: 'owner' }) }),
    });
  }

  async fetch(request: Request): Promise<Response> {
    const [, , what = ''] = new URL(request.url).pathname.split('/');
    if (what === 'abort') this.#ctx.abort('The test aborts it.');
    if (what === 'pass') return new Response('passed');
    if (what === 'archive') {
      await this.#object.archive();
      return new Response('asked');
    }
    return (await this.#object.fetch(request)) ?? new Response(null, { status: 404 });
  }

  async alarm(): Promise<void> {
    await this.#object.alarm();
  }

  async webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): Promise<void> {
    await this.#object.webSocketMessage(socket, data);
  }

  async webSocketClose(socket: WebSocket, code: number, reason: string, wasClean: boolean) {
    await this.#object.webSocketClose(socket, code, reason, wasClean);
  }

  async webSocketError(socket: WebSocket, error: unknown): Promise<void> {
    await this.#object.webSocketError(socket, error);
  }

  async #tell(): Promise<void> {
    const response = await this.#outside.fetch(new Request('http://outside/request'));
    await response.text();
  }
}

// house-rule: no-default-export: a Worker's main module is its default export
export default {
  /** The first part of the path is the object's name. */
  fetch(request: Request, { SESSIONS }: Bindings): Promise<Response> {
    const [, name = ''] = new URL(request.url).pathname.split('/');
    return SESSIONS.get(SESSIONS.idFromName(name)).fetch(request);
  },
};
