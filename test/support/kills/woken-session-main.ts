// The Worker of test/e2e/objects/woken-objects.node.test.ts: a Durable Object whose session is started by
// requests that don't wait for it, and continues by its alarms. It has the limits of production.
import { createEventLimits, limitStorage } from '../edge/production-limits.ts';
import { DurableObject } from 'cloudflare:workers';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { createEdgeHost, createSessionObject } from '../../../src/edge.ts';
import type {
  ContentsBucket,
  DurableContext,
  ObjectStorage,
  SessionObject as Inner,
} from '../../../src/edge.ts';
import { readEnding, sessionId, toPrompt } from './finish-session.ts';
import { answerBy, killedModel, killedRewind, listKilledTools } from './killed-conversation.ts';
import { probeLimits } from '../edge/probe-limits.ts';

interface Fetcher {
  fetch(request: Request): Promise<Response>;
}

interface Stub extends Fetcher {
  measure(bytes: Uint8Array): Promise<number>;
}

/** What the test binds. */
interface Bindings {
  readonly OUTSIDE: Fetcher;
  readonly SESSIONS: { idFromName(name: string): unknown; get(id: unknown): Stub };
  readonly CONTENTS: ContentsBucket;
  /** Which code runs. */
  readonly VERSION?: string;
}

/** The part of the runtime's context that is used here. */
interface Context extends DurableContext {
  abort(reason: string): void;
}

/** Tells the test what happens in it, by requests to OUTSIDE. */
export class SessionObject extends DurableObject {
  readonly #ctx: Context;
  readonly #outside: Fetcher;
  readonly #limits = createEventLimits();
  readonly #object: Inner;
  readonly #instance = crypto.randomUUID();
  readonly #storage: ObjectStorage;
  readonly #bucket: ContentsBucket;
  readonly #sessions: Bindings['SESSIONS'];

  constructor(ctx: Context, bindings: Bindings) {
    super(ctx, bindings);
    const { OUTSIDE, CONTENTS, SESSIONS, VERSION = '1' } = bindings;
    this.#sessions = SESSIONS;
    this.#ctx = ctx;
    this.#outside = OUTSIDE;
    this.#storage = limitStorage(ctx.storage);
    this.#bucket = this.#limits.limitBucket(CONTENTS);
    const table = 'CREATE TABLE IF NOT EXISTS own_name (one INTEGER PRIMARY KEY, name TEXT)';
    ctx.storage.sql.exec(table);
    const witness = {
      move: (callId: string) => this.#ask(`moved/${callId}`),
      ask: (requestId: string) => this.#ask(`asked/${requestId}`),
    };
    const request = async () => {
      await this.#ask('request');
      if (this.#is('dies')) ctx.abort('It runs out of memory, say.');
    };
    this.#object = createSessionObject(
      { id: ctx.id, storage: this.#watch(this.#storage) },
      {
        wasm,
        sessionId,
        version: VERSION,
        contents: { bucket: this.#bucket, minBytes: 65_536 },
        model: {
          ...killedModel,
          async *stream(...asked) {
            await request();
            yield* killedModel.stream(...asked);
          },
        },
        options: {
          tools: listKilledTools(witness) as never,
          // Where the object is named so, a person answers, by a request.
          canUseTool: async (...asked) =>
            (this.#is('person') || asked[0] === 'Resume'
              ? null
              : answerBy(witness)(...asked)) as never,
        },
      },
    );
  }

  async fetch({ url }: Request): Promise<Response> {
    this.#limits.begin();
    const [, name = '', what = '', which = ''] = new URL(url).pathname.split('/');
    // An object that is woken by an alarm doesn't know its name.
    this.#ctx.storage.sql.exec('INSERT OR REPLACE INTO own_name (one, name) VALUES (1, ?)', name);
    if (what === 'abort') this.#ctx.abort('The test aborts it.');
    if (what === 'ending') {
      const contents = {
        bucket: this.#bucket,
        prefix: `rockpool/contents/${this.#ctx.id.toString()}/`,
      };
      const host = await createEdgeHost({ wasm, storage: this.#storage, contents });
      const ending = await readEnding(host);
      await host[Symbol.asyncDispose]();
      return Response.json(ending);
    }
    if (what === 'limits') {
      const other = this.#sessions.get(this.#sessions.idFromName(`${name}-other`));
      const probed = await probeLimits({
        storage: this.#storage,
        bucket: this.#bucket,
        begin: this.#limits.begin,
        fetchOutside: (path) => this.#ask(path),
        callOther: (bytes) => other.measure(bytes),
      });
      return Response.json(probed);
    }
    if (what === 'instance') return new Response(this.#instance);
    const session = await this.#object.session();
    if (what === 'questions') return Response.json(session.questions());
    if (what === 'answer') {
      const isRefused = which.startsWith('no-');
      const requestId = isRefused ? which.slice(3) : which;
      await session.answer(
        requestId,
        isRefused ? { behavior: 'deny', message: 'No.' } : { behavior: 'allow' },
      );
      return new Response(session.state());
    }
    if (what === 'rewind') await session.rewind(killedRewind.to);
    for (const index of which === '' ? [] : which.split(',')) {
      await session.send(toPrompt(Number(index)));
    }
    return new Response(session.state());
  }

  async alarm(): Promise<void> {
    this.#limits.begin();
    await this.#object.alarm();
    const next = await this.#ctx.storage.getAlarm();
    // One that is days away looks for large files that nothing needs any more.
    const isAsleep = next === null || next > Date.now() + 86_400_000;
    await this.#tell(isAsleep ? 'asleep' : 'step');
  }

  /** By RPC. */
  measure(bytes: Uint8Array): number {
    return bytes.byteLength;
  }

  #is(kind: string): boolean {
    const [row] = this.#ctx.storage.sql.exec('SELECT name FROM own_name').toArray();
    return String(row?.['name']).startsWith(kind);
  }

  /** Reports each write, at which the object may be killed. */
  #watch(storage: ObjectStorage): ObjectStorage {
    const tellWrote = () => void this.#tell('wrote').catch(() => undefined);
    let isWithin = false;
    return {
      sql: {
        exec(query, ...bindings) {
          const cursor = storage.sql.exec(query, ...bindings);
          // A small commit is one statement.
          if (!isWithin && query.startsWith('INSERT OR REPLACE INTO rockpool_row')) tellWrote();
          return cursor;
        },
      },
      transactionSync: (closure) => {
        isWithin = true;
        try {
          const value = storage.transactionSync(closure);
          tellWrote();
          return value;
        } finally {
          isWithin = false;
        }
      },
      sync: () => storage.sync(),
      getAlarm: () => storage.getAlarm(),
      setAlarm: (at) => storage.setAlarm(at),
      deleteAlarm: () => storage.deleteAlarm(),
    };
  }

  /** A subrequest, as the session's own are. */
  async #ask(what: string): Promise<void> {
    const fetch = this.#limits.limitFetch((request) => this.#outside.fetch(request));
    await fetch(new Request(`http://outside/${what}`));
  }

  /**
   * Reports an event to the test. The runtime delays the request until everything that was written before is on disk.
   */
  async #tell(what: string): Promise<void> {
    const response = await this.#outside.fetch(new Request(`http://outside/${what}`));
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
