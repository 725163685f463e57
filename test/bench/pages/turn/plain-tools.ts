// The same tools for the peers: their handlers are Rockpool's own, over the same files, on the thread
// that calls them. So what differs between the contenders is when and where a call runs.
import * as z from 'zod';
import { createInlineHost } from 'rockpool/testing';
import type { Tool, Host } from 'rockpool/browser';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { fullAccess, limits } from '../call-bounds.ts';
import { waitHandler, waitTool } from './wait.ts';

/** A tool as every agent SDK takes it, in its own words. */
export interface PlainTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z.ZodObject;
  readonly jsonSchema: Record<string, unknown>;
  /** The result as the model reads it. Rejects where the call fails. */
  readonly run: (input: Record<string, unknown>) => Promise<string>;
}

export function createPlainHost(): Promise<Host> {
  return createInlineHost({
    handlers: [{ name: 'Wait', load: () => Promise.resolve(waitHandler) }],
    loadWasm: () => WebAssembly.compileStreaming(fetch(wasmUrl)),
  });
}

/** The tools of one conversation: what it has read, it may edit. Dispose them to let its cells' VM go. */
export interface PlainTools extends Disposable {
  readonly list: readonly PlainTool[];
}

export async function createPlainTools(host: Host, names: readonly string[]): Promise<PlainTools> {
  const all: readonly Tool[] = [...(await host.loadTools()), waitTool as unknown as Tool];
  const known = new Map<string, number>();
  const sessionId = crypto.randomUUID();
  const list = all
    .filter(({ name }) => names.includes(name))
    .map((tool): PlainTool => {
      const inputSchema = tool.inputSchema as z.ZodObject;
      return {
        name: tool.name,
        description: `${tool.name}, as the built-in tool.`,
        inputSchema,
        jsonSchema: z.toJSONSchema(inputSchema, { io: 'input' }),
        run: async (input) => toText(tool, await call(host, { tool, input, sessionId, known })),
      };
    });
  return { list, [Symbol.dispose]: () => host.executor.endSession?.(sessionId) };
}

interface PlainCall {
  readonly tool: Tool;
  readonly input: Record<string, unknown>;
  readonly sessionId: string;
  readonly known: Map<string, number>;
}

async function call(host: Host, { tool, input, sessionId, known }: PlainCall): Promise<unknown> {
  const { workspace, executor, cwd } = host;
  const reply = await executor.start(
    {
      callId: crypto.randomUUID(),
      toolName: tool.name,
      input,
      sessionId,
      address: { root: 'main', minSeq: workspace.seq() },
      access: fullAccess,
      cwd,
      limits,
      knownVersions: [...known],
    },
    () => undefined,
  ).reply;
  if (reply.type === 'lost') throw new Error(reply.message);
  if (reply.type === 'failed') throw new Error(reply.error.message);
  for (const [path, version] of reply.reads) known.set(path, version);
  if (reply.changeSet) {
    const { seq } = await workspace.commit(reply.changeSet, { author: { kind: 'agent' } });
    for (const { path } of reply.changeSet.changes) known.set(path, seq);
  }
  return reply.output;
}

function toText(tool: Tool, output: unknown): string {
  const { content } = tool.mapToolResultToToolResultBlockParam(output, 'id');
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}
