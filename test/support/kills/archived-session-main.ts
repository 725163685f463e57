// The Worker of test/e2e/objects/archived-objects.node.test.ts: a Durable Object whose session is archived as soon as it rests.
// It tells the test each request to its bucket, before it is sent and when it is answered.
import { DurableObject } from 'cloudflare:workers';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { createEdgeHost, createSessionObject } from '../../../src/edge.ts';
import type {
  ArchiveBucket,
  ContentsBucket,
  DurableContext,
  ObjectStorage,
  SessionObject as Inner,
} from '../../../src/edge.ts';
import type { MessageParam } from '../../../src/core/messages/messages.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { assistantMessage } from '../models/model-streams.ts';

interface Fetcher {
  fetch(request: Request): Promise<Response>;
}

/** A bucket that is listed, too. */
interface Bucket extends ArchiveBucket {
  delete(keys: string | string[]): Promise<void>;
  list(options: { readonly prefix: string }): Promise<{ readonly objects: { key: string }[] }>;
}

/** What the test binds. */
interface Bindings {
  readonly OUTSIDE: Fetcher;
  readonly SESSIONS: { idFromName(name: string): unknown; get(id: unknown): Fetcher };
  readonly CONTENTS: Bucket;
  /** Which code runs. */
  readonly VERSION?: string;
}

interface Context extends DurableContext {
  abort(reason: string): void;
}

/** More than a part of 8 MiB, in files that are too small for the bucket of large contents. */
const sizes = [...Array.from({ length: 10 }, () => 900_000), 1_500_000];

/** The same bytes each time, which differ from block to block. */
function fill(size: number, seed: number): Uint8Array {
  const words = new Uint32Array(size / 4);
  let state = seed;
  for (let at = 0; at < words.length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    words[at] = state;
  }
  return new Uint8Array(words.buffer);
}

const areSame = (one: Uint8Array, other: Uint8Array) =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);

export class SessionObject extends DurableObject {
  readonly #ctx: Context;
  readonly #outside: Fetcher;
  readonly #bucket: Bucket;
  readonly #object: Inner;
  #isOver = false;
  readonly #contents: { readonly bucket: ContentsBucket };

  constructor(ctx: Context, bindings: Bindings) {
    super(ctx, bindings);
    const { OUTSIDE, CONTENTS, VERSION = '1' } = bindings;
    this.#ctx = ctx;
    this.#outside = OUTSIDE;
    this.#bucket = CONTENTS;
    this.#contents = { bucket: CONTENTS as unknown as ContentsBucket };
    this.#object = createSessionObject(ctx, {
      wasm,
      version: VERSION,
      sessionId: 'archived',
      contents: this.#contents,
      archive: { bucket: this.#watch(CONTENTS), after: 0 },
      model: {
        name: 'claude-test',
        apiKeySource: 'none',
        contextWindow: 100_000,
        maxTokens: 1_000,
        stream: async function* ({ messages }) {
          const text = `Heard ${JSON.stringify(messages)
            .match(/Prompt \d/gu)
            ?.at(-1)}.`;
          yield* toEvents(assistantMessage([{ type: 'text', text }]));
        },
      },
    });
  }

  async fetch({ url }: Request): Promise<Response> {
    const [, , what = '', which = ''] = new URL(url).pathname.split('/');
    switch (what) {
      case 'fill': {
        const host = await this.#openHost();
        for (const [at, size] of sizes.entries()) {
          await host.workspace.fs.writeFile(`/workspace/${at}.bin`, fill(size, at));
        }
        await host[Symbol.asyncDispose]();
        return new Response('filled');
      }
      case 'send': {
        const session = await this.#object.session();
        const message = { role: 'user', content: `Prompt ${which}` } as const;
        await session.send({ type: 'user', uuid: which, message, parent_tool_use_id: null });
        return new Response('sent');
      }
      case 'id':
        return new Response(this.#ctx.id.toString());
      case 'keys':
        return Response.json(await this.#listKeys());
      case 'ending': {
        const session = await this.#object.session();
        const said: string[] = [];
        let results = 0;
        for await (const told of session.messages({ after: 0 })) {
          const isSaid = told.type === 'user' || told.type === 'assistant';
          if (isSaid) said.push(toText(told.message.content));
          if (told.type === 'result') results += 1;
          if (results === Number(which)) break;
        }
        // From here on nothing archives it, because its files are read behind its back.
        this.#isOver = true;
        await this.#object.release();
        const host = await this.#openHost();
        const wrong: string[] = [];
        for (const [at, size] of sizes.entries()) {
          const path = `/workspace/${at}.bin`;
          const isSame = areSame(await host.workspace.fs.readFile(path), fill(size, at));
          if (!isSame) wrong.push(path);
        }
        await host[Symbol.asyncDispose]();
        return Response.json({ said, wrong });
      }
      case 'delete':
        await this.#object.deleteArchive();
        return Response.json(await this.#listKeys());
      default:
        return this.#ctx.abort('The test aborts it.') ?? new Response();
    }
  }

  async alarm(): Promise<void> {
    if (this.#isOver) return;
    await this.#object.alarm();
    // Each archive has a token of its own.
    const sql = 'SELECT token FROM rockpool_archive WHERE one = 1';
    const [row] = this.#ctx.storage.sql.exec(sql).toArray();
    if (row) await this.#tell(`archived/${String(row['token'])}`);
  }

  #openHost() {
    const prefix = `rockpool/contents/${this.#ctx.id.toString()}/`;
    const contents = { ...this.#contents, prefix };
    return createEdgeHost({ wasm, storage: this.#ctx.storage as ObjectStorage, contents });
  }

  async #listKeys(): Promise<Record<string, number>> {
    const id = this.#ctx.id.toString();
    const count = async (kind: string) =>
      (await this.#bucket.list({ prefix: `rockpool/${kind}/${id}/` })).objects.length;
    return { sessions: await count('sessions'), contents: await count('contents') };
  }

  async #tell(what: string): Promise<void> {
    const response = await this.#outside.fetch(
      new Request(`http://outside/${this.#ctx.id.toString()}/${what}`),
    );
    await response.text();
  }

  #watch(bucket: ArchiveBucket): ArchiveBucket {
    const ask = async <Value>(what: string, run: () => Promise<Value>): Promise<Value> => {
      await this.#tell(`asked/${what}`);
      const value = await run();
      await this.#tell(`asked/${what}-answered`);
      return value;
    };
    const tellPiece = () => this.#tell('asked/piece');
    return {
      createMultipartUpload: async (key) => {
        const upload = await ask('create', () => bucket.createMultipartUpload(key));
        return {
          uploadPart: (...part) => ask('part', () => upload.uploadPart(...part)),
          complete: (parts) => ask('complete', () => upload.complete(parts)),
          abort: () => upload.abort(),
        };
      },
      get: (key) =>
        ask('get', async () => {
          const found = await bucket.get(key);
          let left = 0;
          const body = found?.body.pipeThrough(
            new TransformStream<Uint8Array, Uint8Array>({
              async transform(bytes, controller) {
                left -= bytes.length;
                if (left < 0) {
                  await tellPiece();
                  left = 1_500_000;
                }
                controller.enqueue(bytes);
              },
            }),
          );
          return body ? { body } : null;
        }),
      delete: (key) => ask('delete', () => bucket.delete(key)),
    };
  }
}

function toText(content: MessageParam['content']): string {
  if (typeof content === 'string') return content;
  return content.map((block) => ('text' in block ? String(block.text) : block.type)).join();
}

// house-rule: no-default-export: a Worker's main module is its default export
export default {
  /** The first part of the path is the object's name. */
  fetch(request: Request, { SESSIONS }: Bindings): Promise<Response> {
    const [, name = ''] = new URL(request.url).pathname.split('/');
    return SESSIONS.get(SESSIONS.idFromName(name)).fetch(request);
  },
};
