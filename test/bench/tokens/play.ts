// A conversation with a scripted model, and the requests that it was sent.
import { createScriptedModel, query } from '../../../src/index.ts';
import type { Model, ModelRequest, QueryOptions, Tool } from '../../../src/index.ts';
import type { SDKUserMessage } from '../../../src/index.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import type { ScriptTurn } from '../../../src/model/script.ts';

export interface Play {
  readonly prompts: AsyncIterable<SDKUserMessage> | string;
  /** The model's answers, one for each request. */
  readonly turns: readonly ScriptTurn[];
  /** Beside the built-in ones. */
  readonly tools: readonly Tool[];
  /** Put into the workspace first, by path below the working directory. */
  readonly files?: Readonly<Record<string, string>>;
  /** The model takes `tool_reference`. */
  readonly isNative: boolean;
  readonly options?: Partial<QueryOptions>;
}

/** The requests, in order, each as `read` makes of it when it is made. Throws where a turn fails. */
export async function play<T>(what: Play, read: (request: ModelRequest) => T): Promise<T[]> {
  await using host = await createInlineHost();
  for (const [path, text] of Object.entries(what.files ?? {})) {
    await host.workspace.fs.writeFile(`${host.cwd}/${path}`, text);
  }
  const scripted = createScriptedModel({ script: { turns: what.turns } });
  const requests: T[] = [];
  const model: Model = {
    ...scripted,
    toolReferences: what.isNative,
    stream(request, options) {
      requests.push(read(request));
      return scripted.stream(request, options);
    },
  };
  const tools = [...(await host.loadTools()), ...what.tools];
  const conversation = query({
    prompt: what.prompts,
    options: { permissionMode: 'bypassPermissions', ...what.options, host, model, tools },
  });
  for await (const message of conversation) {
    if (message.type === 'result' && message.subtype !== 'success') {
      throw new Error(`A turn failed: ${JSON.stringify(message)}`);
    }
  }
  return requests;
}
