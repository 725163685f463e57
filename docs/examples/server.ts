// A server of sessions in Node, Deno or Bun: docs/server.md shows it.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createAnthropicModel } from 'rockpool';
import { createSessionServer } from 'rockpool/server';

const engine = fileURLToPath(import.meta.resolve('rockpool/quickjs.wasm'));

/** Whose token it is: ask your own users' table. */
const owners = new Map([[process.env['TOKEN'] ?? '', 'ann']]);

/** Serves sessions until it is disposed. */
export async function serve(port: number) {
  const model = createAnthropicModel({
    model: 'claude-sonnet-5',
    apiKey: process.env['ANTHROPIC_API_KEY'] ?? '',
  });
  const server = await createSessionServer({
    folder: 'sessions',
    wasm: await WebAssembly.compile(await readFile(engine)),
    session: () => ({ model, options: { includePartialMessages: true } }),
    authorize({ headers }, id) {
      const owner = owners.get(headers.get('authorization')?.replace('Bearer ', '') ?? '');
      return owner && id.startsWith(`${owner}-`) ? { owner, role: 'owner' } : undefined;
    },
    onError: (error, session) => console.error(session, error),
  });
  const { url } = await server.listen({ port });
  return { server, url };
}
