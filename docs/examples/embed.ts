import { createBrowserHost, query, type BrowserHostAssets, type Model } from 'rockpool/browser';

export async function renameGreeting(model: Model, assets: BrowserHostAssets): Promise<string> {
  await using host = await createBrowserHost({ workspace: 'my-project', assets });
  await host.workspace.fs.writeFile('/workspace/greet.ts', "export const greeting = 'hi';\n");
  const options = { host, model, permissionMode: 'acceptEdits' } as const;
  for await (const message of query({ prompt: "Make greet.ts say 'hello'.", options }))
    if (message.type === 'result' && message.is_error)
      throw new Error(message.subtype === 'success' ? message.result : message.errors.join(' '));
  return await host.workspace.fs.readFile('/workspace/greet.ts', 'utf8');
}
