import { readFile } from 'node:fs/promises';
import { query, type Model } from 'rockpool';
import { createInlineHost } from 'rockpool/inline';

/** The sandbox's engine, as the package ships it. Without it all tools but Repl work. */
const loadWasm = async () =>
  WebAssembly.compile(await readFile(new URL(import.meta.resolve('rockpool/quickjs.wasm'))));

/** Has the agent work on a text, and gives what became of it. */
export async function rewrite(model: Model, text: string, prompt: string): Promise<string> {
  await using host = await createInlineHost({ loadWasm });
  const path = `${host.cwd}/text.md`;
  await host.workspace.fs.writeFile(path, text);
  const options = { host, model, permissionMode: 'acceptEdits' } as const;
  for await (const message of query({ prompt, options }))
    if (message.type === 'result' && message.is_error)
      throw new Error(message.subtype === 'success' ? message.result : message.errors.join(' '));
  return await host.workspace.fs.readFile(path, 'utf8');
}
