// A server of sessions in Node, Deno or Bun: docs/server.md shows it.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createAnthropicModel } from 'rockpool';
import { createSessionServer } from 'rockpool/server';

const engine = fileURLToPath(import.meta.resolve('rockpool/quickjs.wasm'));

/** Serves sessions until it is disposed. */
export async function serve(port: number) {
  const { TOKEN: token, ANTHROPIC_API_KEY: apiKey } = process.env;
  if (!token || !apiKey) throw new Error('Set TOKEN and ANTHROPIC_API_KEY.');
  /** Whose token it is: ask your own users' table. */
  const owners = new Map([[token, 'ann']]);
  const model = createAnthropicModel({ model: 'claude-sonnet-5', apiKey });
  const server = await createSessionServer({
    folder: 'sessions',
    wasm: await WebAssembly.compile(await readFile(engine)),
    session: () => ({ model, options: { includePartialMessages: true } }),
    authorize({ headers }, id) {
      const [, given = ''] = /^Bearer (.+)$/.exec(headers.get('authorization') ?? '') ?? [];
      const owner = owners.get(given);
      // `ann-1` is ann's. A name with a `-` owns nothing, as `ann-lee-1` would be ann's, too.
      return owner && owner === id.split('-')[0] ? { owner, role: 'owner' } : undefined;
    },
    onError: (error, session) => console.error(session, error),
  });
  const { url } = await server.listen({ port });
  return { server, url };
}
