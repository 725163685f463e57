import { createBrowserHost, query } from 'rockpool/browser';
import type { BrowserHostAssets, Model } from 'rockpool/browser';

export async function renameGreeting(model: Model, assets: BrowserHostAssets): Promise<string> {
  const host = await createBrowserHost({ workspace: 'my-project', assets });
  try {
    await host.workspace.fs.writeFile('/workspace/greet.ts', "export const greeting = 'hi';\n");
    const prompt = "Make the greeting in greet.ts 'hello'.";
    for await (const message of query({
      prompt,
      options: { host, model, permissionMode: 'acceptEdits' },
    })) {
      if (message.type === 'result' && message.is_error) throw new Error(message.subtype);
    }
    return await host.workspace.fs.readFile('/workspace/greet.ts', 'utf8');
  } finally {
    await host[Symbol.asyncDispose]();
  }
}
