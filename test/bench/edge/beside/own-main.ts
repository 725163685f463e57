// Our side of the edge bench's comparison: a workspace and a session in Durable Objects, without node compatibility.
import wasm from 'quickjs-wasi/quickjs.wasm';
import { createEdgeHost, createSessionObject } from '../../../../src/edge.ts';
import type { DurableContext, EdgeHost } from '../../../../src/edge.ts';
import { toEvents } from '../../../../src/model/to-events.ts';
import { assistantMessage } from '../../../support/models/model-streams.ts';
import { answerFileWork } from './file-work.ts';
import type { BenchFiles } from './file-work.ts';
import { answer, calls, pieceLength, prompt } from './turn-script.ts';

interface Context extends DurableContext {
  abort(reason: string): void;
}

/** A workspace of ours. */
export class OwnFiles {
  readonly #context: Context;
  #opening: Promise<EdgeHost> | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  async fetch({ url }: Request): Promise<Response> {
    const path = new URL(url).pathname.slice(1);
    if (path === 'sleep') this.#context.abort('It sleeps.');
    this.#opening ??= createEdgeHost({ wasm, storage: this.#context.storage });
    const { fs } = (await this.#opening).workspace;
    const store: BenchFiles = {
      makeDirectory: (directory) => fs.mkdir(directory, { recursive: true }),
      write: (file, text) => fs.writeFile(file, text),
      read: (file) => fs.readFile(file, 'utf8'),
      list: async (directory) => (await fs.readdir(directory, { withFileTypes: true })).length,
      size: async (file) => (await fs.stat(file)).size,
    };
    return answerFileWork(store, path);
  }
}

/** A session of ours: each step is an event, and all of it is journalled. */
export class OwnAgent {
  readonly #context: Context;
  readonly #object: ReturnType<typeof createSessionObject>;

  constructor(context: Context) {
    this.#context = context;
    this.#object = createSessionObject(context, {
      wasm,
      model: {
        name: 'claude-test',
        apiKeySource: 'none',
        contextWindow: 1_000_000,
        maxTokens: 1_000,
        async *stream({ messages }) {
          const done = messages.length - 1 - messages.findLastIndex(isPrompt);
          const call = calls[done / 2];
          const id = String(messages.length);
          yield* call
            ? toEvents(
                assistantMessage([{ type: 'tool_use', id, name: call.name, input: call.input }], {
                  stop_reason: 'tool_use',
                }),
              )
            : toEvents(assistantMessage([{ type: 'text', text: answer }]), pieceLength);
        },
      },
      options: {
        tools: ['Edit', 'Read', 'Write'],
        permissionMode: 'bypassPermissions',
        includePartialMessages: true,
      },
    });
  }

  async fetch({ url }: Request): Promise<Response> {
    if (new URL(url).pathname === '/sleep') this.#context.abort('It sleeps.');
    const session = await this.#object.session();
    const { n } = await session.send(prompt);
    for await (const message of session.messages({ after: n })) {
      // A call that failed is no work: what the peer's file has come to is looked at.
      if (message.type === 'user' && JSON.stringify(message.message).includes('"is_error":true')) {
        throw new Error(JSON.stringify(message));
      }
      if (message.type !== 'result') continue;
      if (message.subtype !== 'success' || message.num_turns !== calls.length + 1) {
        throw new Error(JSON.stringify(message));
      }
      break;
    }
    return Response.json({ output: null });
  }

  async alarm(): Promise<void> {
    await this.#object.alarm();
  }
}

interface Message {
  readonly role: string;
  readonly content: unknown;
}

const isPrompt = ({ role, content }: Message) =>
  role === 'user' && JSON.stringify(content).includes(prompt);

type Namespaces = Readonly<
  Record<
    'FILES' | 'AGENTS',
    {
      idFromName(name: string): unknown;
      get(id: unknown): { fetch(request: Request): Promise<Response> };
    }
  >
>;

// house-rule: no-default-export: a Worker's main module is its default export
export default {
  /** `/<operation>?object=<name>&of=<FILES or AGENTS>` */
  fetch(request: Request, env: Namespaces): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const namespace = env[searchParams.get('of') as keyof Namespaces];
    const name = searchParams.get('object') ?? '';
    return namespace.get(namespace.idFromName(name)).fetch(request);
  },
};
