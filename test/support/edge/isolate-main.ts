/**
 * The isolate that test/package/isolate.test.ts runs. It is a Worker that answers each request with
 * one scripted turn over the request's files, by the package's public entries only.
 */
import wasm from 'quickjs-wasi/quickjs.wasm';
import { createEdgeHost, type CallIsolate } from '../../../src/edge.ts';
import { createScriptedModel, query, type Script, type SDKMessage } from '../../../src/index.ts';

/** What the test sends. */
export interface IsolateRequest {
  readonly files: Readonly<Record<string, string>>;
  readonly script: Script;
}

/** What it gets back. */
export interface IsolateAnswer {
  /** Globals of Node that this isolate has: none, if the test is what it says. */
  readonly nodeGlobals: readonly string[];
  readonly messages: readonly SDKMessage[];
  /** The other isolates that ran calls, one entry a call. */
  readonly isolates: readonly string[];
  readonly files: Readonly<Record<string, string>>;
}

/** What the test binds. */
interface Bindings {
  readonly CALLS: CallIsolate;
}

async function answer(
  { files, script }: IsolateRequest,
  { CALLS }: Bindings,
): Promise<IsolateAnswer> {
  const host = await createEdgeHost({
    wasm,
    cwd: '/workspace',
    fanOut: { tools: ['Grep', 'Read'], isolate: () => CALLS },
  });
  try {
    const { fs } = host.workspace;
    for (const [path, text] of Object.entries(files)) await fs.writeFile(path, text);
    const messages: SDKMessage[] = [];
    const isolates: string[] = [];
    const conversation = query({
      prompt: 'Go.',
      options: {
        host,
        model: createScriptedModel({ script }),
        permissionMode: 'bypassPermissions',
      },
    });
    conversation.trace.follow((event) => {
      if (event.type === 'call-delta' && event.worker) isolates.push(event.worker);
    });
    for await (const message of conversation) messages.push(message);
    const names = (await fs.readdir('/workspace')).map((entry) => `/workspace/${entry}`);
    const texts = await Promise.all(names.map((name) => fs.readFile(name, 'utf8')));
    return {
      nodeGlobals: ['process', 'Buffer', 'global', 'setImmediate'].filter(
        (name) => name in globalThis,
      ),
      messages,
      isolates,
      files: Object.fromEntries(names.map((name, index) => [name, texts[index] ?? ''])),
    };
  } finally {
    await host[Symbol.asyncDispose]();
  }
}

// house-rule: no-default-export: a Worker's main module is its default export
export default {
  async fetch(request: Request, bindings: Bindings): Promise<Response> {
    return Response.json(await answer(await request.json(), bindings));
  },
};
