import { createInlineHost } from 'rockpool/inline';
import { query, type Model } from 'rockpool';

export async function ask(model: Model, url: string): Promise<string[]> {
  await using host = await createInlineHost();
  const mcpServers = { docs: { type: 'http', url, alwaysLoad: true } } as const;
  const asked = query({ prompt: 'Look it up.', options: { host, model, mcpServers } });
  for await (const _ of asked);
  return (await asked.mcpServerStatus()).map(({ name, status }) => `${name}: ${status}`);
}
