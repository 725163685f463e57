// The Worker of the edge bench: one Durable Object with a workspace in its storage. Its paths are what the bench asks.
import wasm from 'quickjs-wasi/quickjs.wasm';
import { createEdgeHost, createSessionObject } from '../../../src/edge.ts';
import type { DurableContext, SessionObject } from '../../../src/edge.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import type { AgentSession } from '../../../src/agent/agent-session.ts';
import type { Model } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { assistantMessage } from '../../support/models/model-streams.ts';
import { counting } from '../../support/edge/counted-storage.ts';
import { countChecks, countQuestions, prepareModelWork, runCall } from './counted-work.ts';
import type { ModelWork } from './counted-work.ts';
import { scriptedHour } from './scripted-hour.ts';
import type { ModelKind } from './work-kinds.ts';

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

export class BenchObject {
  readonly #context: ObjectContext;
  readonly #counts = { read: 0, written: 0, alarms: 0 };
  #opening: ReturnType<typeof createEdgeHost> | undefined;

  #session: SessionObject | undefined;
  #modelWork: ModelWork | undefined;

  constructor(context: ObjectContext) {
    this.#context = context;
  }

  async alarm(): Promise<void> {
    // Whoever is woken by an alarm alone is one of those that take steps.
    await (this.#session ?? this.#sessionObject()).alarm();
  }

  #sessionObject(): SessionObject {
    const { id, storage } = this.#context;
    const options = { tools: ['Read'] };
    return (this.#session ??= createSessionObject(
      { id, storage },
      { wasm, model: this.#model(), options },
    ));
  }

  /** One of the scripted hour, whose rows and alarms are counted. */
  #busyObject(): SessionObject {
    const { id, storage } = this.#context;
    const setAlarm = (at: number) => {
      this.#counts.alarms += 1;
      // As it is billed.
      this.#counts.written += 1;
      return storage.setAlarm(at);
    };
    const counted = {
      ...counting(storage, this.#counts),
      sync: () => storage.sync(),
      getAlarm: () => storage.getAlarm(),
      setAlarm,
      deleteAlarm: () => storage.deleteAlarm(),
    };
    return (this.#session ??= createSessionObject(
      { id, storage: counted },
      {
        wasm,
        model: scriptedHour,
        options: {
          tools: ['Grep', 'Read', 'Write', 'Edit', 'Repl'],
          permissionMode: 'bypassPermissions',
        },
      },
    ));
  }

  /** Resolves when the turn is over, and its session lets go. */
  async #playTurn(): Promise<unknown> {
    const begun = Date.now();
    const session = await this.#busyObject().session();
    const { n } = await session.send('Go on.');
    for await (const message of session.messages({ after: n })) {
      if (message.type === 'result' && message.subtype !== 'success') throw new Error('It failed.');
      if (message.type === 'result') break;
    }
    while ((await this.#context.storage.getAlarm()) !== null) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return { ...this.#counts, seconds: (Date.now() - begun) / 1000 };
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
    if (path === 'collect') return Response.json({ output: collect() });
    if (path === 'nothing') return Response.json({ output: null });
    if (path.startsWith('turn')) return Response.json({ output: await this.#playTurn() });
    const [what, kind = ''] = path.split('/');
    if (what === 'compute') return Response.json({ output: await countQuestions(kind) });
    if (what === 'search') return Response.json({ output: await countChecks(kind) });
    if (what === 'model-ready') this.#modelWork = prepareModelWork(kind as ModelKind);
    if (what?.endsWith('-ready')) return Response.json({ output: null });
    if (what === 'model') return Response.json({ output: await this.#modelWork?.play() });
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
      output = await runCall({ executor }, 'Grep', input);
    }
    return Response.json({
      output,
      read: this.#counts.read - before.read,
      written: this.#counts.written - before.written,
    });
  }

  #open() {
    return createEdgeHost({ wasm, storage: counting(this.#context.storage, this.#counts) });
  }
}

/** V8 is told to (`--expose-gc`). */
function collect(): boolean {
  const { gc } = globalThis as { readonly gc?: () => void };
  gc?.();
  return gc !== undefined;
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
    const name = new URL(request.url).searchParams.get('object') ?? 'bench';
    return OBJECTS.get(OBJECTS.idFromName(name)).fetch(request);
  },
};
