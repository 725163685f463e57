// The Worker of the edge bench: one Durable Object with a workspace in its storage. Its paths are what the bench asks.
import wasm from 'quickjs-wasi/quickjs.wasm';
import { createEdgeHost, createSessionObject } from '../../../src/edge.ts';
import type { DurableContext, SessionObject } from '../../../src/edge.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import type { AgentSession } from '../../../src/agent/agent-session.ts';
import type { Model } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { assistantMessage } from '../../support/model-streams.ts';
import { counting } from '../../support/counted-storage.ts';
import { requestOf } from '../../support/work-request.ts';

interface ObjectContext extends DurableContext {
  abort(reason: string): void;
}

interface Bindings {
  readonly OBJECTS: {
    idFromName(name: string): unknown;
    get(id: unknown): { fetch(request: Request): Promise<Response> };
  };
}

/** Of a turn. */
const steps = 100;

const access = { cwd: '/', roots: ['/'], readOnlyRoots: [], rules: [], write: 'allow' } as const;
const limits = {
  timeoutMs: 60_000,
  maxFileBytes: 8 * 1024 * 1024,
  maxOutputChars: 20_000,
  maxMemoryBytes: 32 * 1024 * 1024,
};

const counts = { ...limits, questionsPerMs: 1, checksPerMs: 1 };

/** Kinds of computing: what a cell asks the engine to do for a second or so. */
const cells: Readonly<Record<string, string>> = {
  loop: 'let s = 0; for (let i = 0; i < 2e7; i += 1) s += i % 7; s',
  calls: 'const f = (n) => (n < 2 ? n : f(n - 1) + f(n - 2)); f(27)',
  texts:
    'let t = ""; for (let i = 0; i < 4e5; i += 1) t += String.fromCharCode(97 + (i % 26)); t.length',
  objects:
    'const m = new Map(); for (let i = 0; i < 3e5; i += 1) m.set("k" + (i % 5000), { i }); m.size',
  json: 'let n = 0; const o = { a: Array.from({ length: 200 }, (_, i) => ({ i, t: "x".repeat(9) })) }; for (let i = 0; i < 800; i += 1) n += JSON.stringify(JSON.parse(JSON.stringify(o))).length; n',
  sort: 'let n = 0; for (let i = 0; i < 12; i += 1) n += Array.from({ length: 2e4 }, (_, k) => (k * 7919) % 10007).sort((a, b) => a - b)[5]; n',
};

const searches: Readonly<Record<string, string>> = {
  backtracking: '(a|ab|b)*[^ab!]',
  nested: '((ab)*)*[^ab!]',
  states: '(?:a|b)*a(?:a|b){12}[^ab!]',
};

export class BenchObject {
  readonly #context: ObjectContext;
  readonly #counts = { read: 0, written: 0 };
  #opening: ReturnType<typeof createEdgeHost> | undefined;

  #session: SessionObject | undefined;

  constructor(context: ObjectContext) {
    this.#context = context;
  }

  async alarm(): Promise<void> {
    await this.#sessionObject().alarm();
  }

  #sessionObject(): SessionObject {
    const { id, storage } = this.#context;
    const options = { tools: ['Read'] };
    return (this.#session ??= createSessionObject(
      { id, storage },
      { wasm, model: this.#model(), options },
    ));
  }

  /** Reads a file in each of its steps, then rests. */
  #model(): Model {
    return {
      name: 'claude-test',
      apiKeySource: 'none',
      contextWindow: 1_000_000,
      maxTokens: 1_000,
      async *stream({ messages }) {
        const at = messages.length;
        const input = { file_path: '/workspace/src/part0/file0.ts', limit: 1, offset: at };
        const read = { type: 'tool_use', id: `c${at}`, name: 'Read', input } as const;
        yield* at > 2 * steps
          ? toEvents(assistantMessage([{ type: 'text', text: 'Done.' }]))
          : toEvents(assistantMessage([read], { stop_reason: 'tool_use' }));
      },
    };
  }

  async #takeSteps(session: AgentSession): Promise<number> {
    await session.send('Read it.');
    for await (const { type } of session.messages()) if (type === 'result') break;
    return steps;
  }

  async #answer(path: string): Promise<unknown> {
    if (path === 'steps') return this.#takeSteps(await this.#sessionObject().session());
    if (path === 'wake') {
      const session = await this.#sessionObject().session();
      for await (const { type } of session.messages()) return type;
    }
    const host = await createEdgeHost({ wasm, storage: this.#context.storage });
    const session = await openSession({ host, model: this.#model(), tools: ['Read'] });
    const taken = await this.#takeSteps(session);
    await session.close();
    await host[Symbol.asyncDispose]();
    return taken;
  }

  async fetch({ url }: Request): Promise<Response> {
    const path = new URL(url).pathname.slice(1);
    if (path === 'sleep') this.#context.abort('It sleeps.');
    if (['steps', 'plain-steps', 'wake'].includes(path)) {
      return Response.json({ output: await this.#answer(path) });
    }
    if (path.startsWith('compute/')) return Response.json(await this.#compute(path.slice(8)));
    const { executor, workspace } = await (this.#opening ??= this.#open());
    const before = { ...this.#counts };
    if (path === 'fill') {
      const encoder = new TextEncoder();
      const changes = Array.from({ length: 5_000 }, (_, at) => ({
        type: 'write' as const,
        path: `/workspace/src/part${Math.floor(at / 100)}/file${at}.ts`,
        baseVersion: 0,
        content: encoder.encode(toText(at)),
        mode: 0o644,
        mtimeMs: 1,
      }));
      for (let at = 0; at < 50; at += 1) {
        await workspace.fs.mkdir(`/workspace/src/part${at}`, { recursive: true });
      }
      const author = { kind: 'user' } as const;
      for (let at = 0; at < changes.length; at += 500) {
        await workspace.commit({ baseSeq: 0, changes: changes.slice(at, at + 500) }, { author });
      }
    }
    if (path === 'write') await workspace.fs.writeFile('/workspace/note.txt', String(before.read));
    let output: unknown;
    if (path === 'grep') {
      const input = { pattern: 'needle\\d+', output_mode: 'files_with_matches' };
      const request = { ...requestOf('Grep', input), access, cwd: '/workspace', limits };
      const reply = await executor.start(request, () => {}).reply;
      if (reply.type !== 'done') throw new Error(JSON.stringify(reply));
      ({ output } = reply);
    }
    return Response.json({
      output,
      read: this.#counts.read - before.read,
      written: this.#counts.written - before.written,
    });
  }

  /** What it has counted meanwhile, by one count a millisecond. */
  async #compute(what: string): Promise<{ readonly output: unknown; readonly counted: number }> {
    let counted = 0;
    const host = await createEdgeHost({
      wasm,
      questionsPerMs: 1,
      checksPerMs: 1,
      onWork: (ms) => void (counted += ms),
    });
    const run = async (tool: string, input: object) => {
      const request = { ...requestOf(tool, input), access, cwd: '/workspace', limits: counts };
      const reply = await host.executor.start(request, () => {}).reply;
      if (reply.type !== 'done') throw new Error(JSON.stringify(reply));
      return reply.output;
    };
    const lines = Array.from({ length: 400 }, (_, at) => `${'ab'.repeat(900 + (at % 7))}!`);
    await host.workspace.fs.writeFile('/workspace/a.txt', lines.join('\n'));
    // The first cell loads the engine.
    await run('Repl', { code: '1' });
    counted = 0;
    const begun = Date.now();
    const code = cells[what];
    const output = code
      ? JSON.stringify(await run('Repl', { code })).slice(0, 200)
      : await run('Grep', { pattern: searches[what], output_mode: 'count' });
    const ms = Date.now() - begun;
    await host[Symbol.asyncDispose]();
    return { output: { ms, perMs: counted / ms, output }, counted };
  }

  #open() {
    return createEdgeHost({ wasm, storage: counting(this.#context.storage, this.#counts) });
  }
}

/** 4 kB that say something of their own. Every 500th file has the word that the bench looks for. */
function toText(at: number): string {
  const line = (part: number) => {
    const word = ((at + 1) * 2_654_435_761 + part * 40_503).toString(36);
    return `export const value${part}_${word} = compute${at % 97}(${part * at});`;
  };
  const lines = Array.from({ length: 75 }, (_, part) => line(part));
  if (at % 500 === 0) lines.push(`const needle${at} = true;`);
  return `${lines.join('\n')}\n`;
}

// house-rule: no-default-export: a Worker's main module is its default export
export default {
  fetch(request: Request, { OBJECTS }: Bindings): Promise<Response> {
    return OBJECTS.get(OBJECTS.idFromName('bench')).fetch(request);
  },
};
