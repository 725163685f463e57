// The Worker of test/e2e/objects/faulty-bucket.node.test.ts: a session that is connected to over real sockets. Its bucket fails,
// is slow, or gives other bytes, by a seed.
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
import { createRandom } from '../random.ts';
import { assistantMessage } from '../models/model-streams.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import type { MessageParam } from '../../../src/core/messages/messages.ts';

interface Fetcher {
  fetch(request: Request): Promise<Response>;
}

/** What the test binds. */
interface Bindings {
  readonly OUTSIDE: Fetcher;
  readonly SESSIONS: { idFromName(name: string): unknown; get(id: unknown): Fetcher };
  readonly CONTENTS: ContentsBucket & ArchiveBucket;
}

type Context = DurableContext & SocketContext & { abort(reason: string): void };

/** One request in so many goes wrong, and by which seed; 0: none. */
interface Mood {
  readonly oneIn: number;
  readonly seed: number;
}

export class SessionObject extends DurableObject {
  readonly #ctx: Context;
  readonly #outside: Fetcher;
  readonly #object: Inner;
  #mood: Mood;
  #random: ReturnType<typeof createRandom>;

  constructor(ctx: Context, bindings: Bindings) {
    super(ctx, bindings);
    this.#ctx = ctx;
    this.#outside = bindings.OUTSIDE;
    ctx.storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS own_mood (one INTEGER PRIMARY KEY, mood TEXT)',
    );
    const [row] = ctx.storage.sql.exec('SELECT mood FROM own_mood').toArray();
    this.#mood = row ? (JSON.parse(String(row['mood'])) as Mood) : { oneIn: 0, seed: 0 };
    this.#random = createRandom(this.#mood.seed);
    const bucket = this.#spoil(bindings.CONTENTS);
    this.#object = createSessionObject(ctx, {
      wasm,
      model: {
        name: 'claude-test',
        apiKeySource: 'none',
        contextWindow: 10_000_000,
        maxTokens: 1_000,
        stream: async function* (
          this: SessionObject,
          { messages }: { messages: readonly MessageParam[] },
        ) {
          await this.#tell('request');
          yield* toEvents(reply(messages));
        }.bind(this),
      },
      contents: { bucket, minBytes: 65_536, cacheBytes: 1_000_000 },
      archive: { bucket },
      options: { permissionMode: 'acceptEdits', allowedTools: ['Repl'] },
      wire: createObjectWire(ctx, { authorize: () => ({ owner: 'ann', role: 'owner' }) }),
    });
  }

  async fetch(request: Request): Promise<Response> {
    const [, , what = '', oneIn = '', seed = ''] = new URL(request.url).pathname.split('/');
    switch (what) {
      case 'mood': {
        this.#mood = { oneIn: Number(oneIn), seed: Number(seed) };
        this.#random = createRandom(this.#mood.seed);
        const sql = 'INSERT OR REPLACE INTO own_mood (one, mood) VALUES (1, ?)';
        this.#ctx.storage.sql.exec(sql, JSON.stringify(this.#mood));
        return new Response('set');
      }
      case 'abort':
        return this.#ctx.abort('The test aborts it.') ?? new Response();
      case 'archive':
        await this.#object.archive();
        return new Response('asked');
      default:
        return (await this.#object.fetch(request)) ?? new Response(null, { status: 404 });
    }
  }

  async alarm(): Promise<void> {
    await this.#object.alarm();
    const sql = "SELECT name FROM rockpool_alarm WHERE name = 'rockpool.step'";
    if (this.#ctx.storage.sql.exec(sql).toArray().length === 0) await this.#tell('asleep');
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

  async #tell(what: string): Promise<void> {
    const response = await this.#outside.fetch(new Request(`http://outside/${what}`));
    await response.text();
  }

  /** What becomes of the next request. */
  #draw(): 'well' | 'down' | 'lost answer' | 'slow' | 'wrong' {
    const { oneIn } = this.#mood;
    if (oneIn === 0 || this.#random.below(oneIn) > 0) return 'well';
    return this.#random.pick(['down', 'lost answer', 'slow', 'wrong'] as const);
  }

  async #ask<Value>(what: string, run: () => Promise<Value>): Promise<Value> {
    const how = this.#draw();
    if (how !== 'well') await this.#tell(`spoilt/${what}/${how}`);
    if (how === 'slow') await new Promise((resolve) => setTimeout(resolve, 300));
    if (how === 'down') throw new Error('internal error; 10001');
    const value = await run();
    if (how === 'lost answer') throw new Error('Network connection lost.');
    if (how === 'wrong') return spoil(value) as Value;
    return value;
  }

  #spoil(bucket: Bindings['CONTENTS']): Bindings['CONTENTS'] {
    return {
      put: (...given) => this.#ask('put', () => bucket.put(...given)),
      get: ((key: string, how?: never) =>
        this.#ask('get', () => bucket.get(key, how as never))) as never,
      delete: ((keys: never) => this.#ask('delete', () => bucket.delete(keys))) as never,
      createMultipartUpload: (key) =>
        this.#ask('create', async () => {
          const upload = await bucket.createMultipartUpload(key);
          return {
            uploadPart: (...part) => this.#ask('part', () => upload.uploadPart(...part)),
            complete: (parts) => this.#ask('complete', () => upload.complete(parts)),
            abort: () => this.#ask('abort', () => upload.abort()),
          };
        }),
    };
  }
}

/** `write x` writes x into a.txt, `cell x` runs x. Anything else is counted. */
function reply(messages: readonly MessageParam[]) {
  const news = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  const blocks = news.flatMap(({ content }) =>
    typeof content === 'string' ? [{ type: 'text' as const, text: content }] : [...content],
  );
  if (blocks.some(({ type }) => type === 'tool_result')) {
    return assistantMessage([{ type: 'text', text: 'Done.' }]);
  }
  const text =
    blocks
      .flatMap((one) =>
        'text' in one && !String(one.text).startsWith('<') ? [String(one.text)] : [],
      )
      .at(-1) ?? '';
  const id = `call-${messages.length}-${text.length}`;
  if (text.startsWith('write ')) {
    const input = { file_path: '/workspace/a.txt', content: text.slice(6) };
    return assistantMessage([{ type: 'tool_use', id, name: 'Write', input }], {
      stop_reason: 'tool_use',
    });
  }
  if (text.startsWith('cell ')) {
    const input = { code: text.slice(5) };
    return assistantMessage([{ type: 'tool_use', id, name: 'Repl', input }], {
      stop_reason: 'tool_use',
    });
  }
  return assistantMessage([{ type: 'text', text: `${text.length} characters.` }]);
}

/** Other bytes, where it has any. */
function spoil(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('arrayBuffer' in value)) return value;
  const found = value as { arrayBuffer(): Promise<ArrayBuffer>; body: ReadableStream<Uint8Array> };
  const turn = (bytes: Uint8Array) => {
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    return bytes;
  };
  return {
    arrayBuffer: async () => turn(new Uint8Array(await found.arrayBuffer())).buffer,
    get body() {
      return found.body.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform: (bytes, controller) => controller.enqueue(turn(bytes.slice())),
        }),
      );
    },
  };
}

// house-rule: no-default-export: a Worker's main module is its default export
export default {
  /** The first part of the path is the object's name. */
  fetch(request: Request, { SESSIONS }: Bindings): Promise<Response> {
    const [, name = ''] = new URL(request.url).pathname.split('/');
    return SESSIONS.get(SESSIONS.idFromName(name)).fetch(request);
  },
};
