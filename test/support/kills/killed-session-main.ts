// The Worker of test/e2e/kills/killed-objects.node.test.ts: a Durable Object whose session runs over its own
// storage, until workerd is killed or the session is done.
import wasm from 'quickjs-wasi/quickjs.wasm';
import { createEdgeHost } from '../../../src/edge.ts';
import type { DurableStorage } from '../../../src/workspace/drivers/do-sqlite.ts';
import { killedConversations } from './killed-conversations.ts';
import type { ConversationName } from './killed-conversations.ts';

interface Fetcher {
  fetch(request: Request): Promise<Response>;
}

/** What the test binds. */
interface Bindings {
  /** The test, which gets each event outside of the object as the path of a request. */
  readonly OUTSIDE: Fetcher;
  readonly SESSIONS: { idFromName(name: string): unknown; get(id: unknown): Fetcher };
}

/** Answers with the end of its session. */
export class SessionObject {
  readonly #storage: DurableStorage;
  readonly #outside: Fetcher;

  constructor({ storage }: { readonly storage: DurableStorage }, { OUTSIDE }: Bindings) {
    this.#storage = storage;
    this.#outside = OUTSIDE;
  }

  async fetch({ url }: Request): Promise<Response> {
    const [, conversation] = new URL(url).pathname.split('/');
    const host = await createEdgeHost({ wasm, storage: this.#storage });
    const ending = await killedConversations[conversation as ConversationName].finish(host, {
      request: () => this.#tell('request'),
      move: (callId) => this.#tell(`moved/${callId}`),
      ask: (requestId) => this.#tell(`asked/${requestId}`),
      landed: (length) => void this.#tell(`landed/${length}`),
    });
    await host[Symbol.asyncDispose]();
    return Response.json(ending);
  }

  /** The runtime delays the request until everything that was written before is on disk. */
  async #tell(what: string): Promise<void> {
    const response = await this.#outside.fetch(new Request(`http://outside/${what}`));
    await response.text();
  }
}

// house-rule: no-default-export: a Worker's main module is its default export
export default {
  /** The path is the object's name. It begins with that of the conversation. */
  fetch(request: Request, { SESSIONS }: Bindings): Promise<Response> {
    return SESSIONS.get(SESSIONS.idFromName(new URL(request.url).pathname)).fetch(request);
  },
};
