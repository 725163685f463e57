// The peers' side of the edge bench's comparison: Cloudflare's file systems in plain Durable Objects, and its agent.
import { getAgentByName } from 'peer:agents';
import { Workspace as Computer } from 'peer:@cloudflare/computer';
import { Workspace as Shell } from 'peer:@cloudflare/shell';
import { Think } from 'peer:@cloudflare/think';
import { answerFileWork } from './file-work.ts';
import type { BenchFiles } from './file-work.ts';
import { answer, calls, checkNote, notePath, pieceLength, prompt } from './turn-script.ts';

interface Context {
  readonly storage: { readonly sql: unknown };
  abort(reason: string): void;
}

abstract class FilesObject {
  readonly #context: Context;
  readonly #store: BenchFiles;

  constructor(context: Context) {
    this.#context = context;
    this.#store = this.open(context);
  }

  protected abstract open(context: Context): BenchFiles;

  async fetch({ url }: Request): Promise<Response> {
    const path = new URL(url).pathname.slice(1);
    if (path === 'sleep') this.#context.abort('It sleeps.');
    return answerFileWork(this.#store, path);
  }
}

/** `@cloudflare/shell`. */
export class ShellFiles extends FilesObject {
  protected override open({ storage: { sql } }: Context): BenchFiles {
    const workspace = new Shell({ sql });
    return {
      makeDirectory: (path) => workspace.mkdir(path, { recursive: true }),
      write: (path, text) => workspace.writeFile(path, text),
      read: (path) => workspace.readFile(path),
      list: async (path) => (await workspace.readDir(path)).length,
      size: async (path) => (await workspace.stat(path))?.size,
    };
  }
}

/** `@cloudflare/computer`. */
export class ComputerFiles extends FilesObject {
  protected override open({ storage }: Context): BenchFiles {
    const { fs } = new Computer({ storage });
    return {
      makeDirectory: (path) => fs.mkdir(path, { recursive: true }),
      write: (path, text) => fs.writeFile(path, text),
      read: (path) => fs.readFile(path, 'utf8'),
      list: async (path) => (await fs.readdir(path)).length,
      size: async (path) => (await fs.stat(path)).size,
    };
  }
}

/** `@cloudflare/think`, as it is without any settings. */
export class ThinkAgent extends Think {
  override getModel(): unknown {
    return {
      specificationVersion: 'v3',
      provider: 'bench',
      modelId: 'claude-test',
      supportedUrls: {},
      doGenerate: () => Promise.reject(new Error('The bench streams.')),
      doStream: ({ prompt: messages }: { readonly prompt: readonly Message[] }) =>
        Promise.resolve({ stream: toStream(messages) }),
    };
  }

  /** A turn, from the prompt to what is kept of its end. */
  async playTurn(): Promise<void> {
    let failure: string | undefined;
    let ended = 0;
    await this.chat(prompt, {
      onStart: () => undefined,
      onEvent: () => undefined,
      onDone: () => void (ended += 1),
      onError: (error) => void (failure = error),
    });
    if (failure !== undefined || ended !== 1) throw new Error(failure ?? 'It has not ended.');
    checkNote(await this.workspace.fs.readFile(notePath, 'utf8'));
  }

  sleep(): void {
    this.ctx.abort('It sleeps.');
  }
}

interface Message {
  readonly role: string;
  readonly content: unknown;
}

/** What the model says next: a call a request, then its answer. */
function toStream(messages: readonly Message[]): ReadableStream {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const done = messages.slice(asked).filter(({ role }) => role === 'assistant').length;
  const call = calls[done];
  const id = String(messages.length);
  const parts: unknown[] = [{ type: 'stream-start', warnings: [] }];
  if (call) {
    const toolName = call.name.toLowerCase();
    const input = JSON.stringify(call.peerInput);
    parts.push(
      { type: 'tool-input-start', id, toolName },
      { type: 'tool-input-delta', id, delta: input },
      { type: 'tool-input-end', id },
      { type: 'tool-call', toolCallId: id, toolName, input },
    );
  } else {
    parts.push({ type: 'text-start', id });
    for (let at = 0; at < answer.length; at += pieceLength) {
      parts.push({ type: 'text-delta', id, delta: answer.slice(at, at + pieceLength) });
    }
    parts.push({ type: 'text-end', id });
  }
  const usage = {
    inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 5, text: 5, reasoning: 0 },
  };
  const unified = call ? 'tool-calls' : 'stop';
  parts.push({ type: 'finish', finishReason: { unified, raw: undefined }, usage });
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

interface Namespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}

// house-rule: no-default-export: a Worker's main module is its default export
export default {
  /** `/<operation>?object=<name>&of=<SHELL, COMPUTER or THINK>` */
  async fetch(request: Request, env: Readonly<Record<string, Namespace>>): Promise<Response> {
    const { searchParams, pathname } = new URL(request.url);
    const of = searchParams.get('of') ?? '';
    const name = searchParams.get('object') ?? '';
    const namespace = env[of];
    if (!namespace) return new Response(null, { status: 404 });
    if (of !== 'THINK') return namespace.get(namespace.idFromName(name)).fetch(request);
    const agent = await getAgentByName<ThinkAgent>(namespace, name);
    if (pathname === '/sleep') await agent.sleep();
    else await agent.playTurn();
    return Response.json({ output: null });
  },
};
