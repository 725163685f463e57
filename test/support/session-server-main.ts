// A process that serves sessions, in Node, Deno or Bun, for tests that kill it: `main <folder> <wasm> [origin]`. It says
// what happens in it by lines. `killed` plays the conversation of killed-conversation.ts; every other one is a session of
// wire-model.ts.
import { readFile } from 'node:fs/promises';
import { createSessionServer } from '../../src/server.ts';
import type { ServedSessionOptions } from '../../src/server.ts';
import type { WireRole } from '../../src/wire/protocol.ts';
import { answerBy, killedModel, listKilledTools } from './killed-conversation.ts';
import { createWireModel } from './wire-model.ts';

const [folder = '', wasmFile = '', origin] = process.argv.slice(2);

// Written at once: what was said before a kill is heard.
const say = (line: string) => console.log(line);

const witness = {
  move: (id: string) => say(`moved ${id}`),
  ask: (id: string) => say(`asked ${id}`),
};

const killed: ServedSessionOptions = {
  model: {
    ...killedModel,
    async *stream(...asked) {
      say('request');
      yield* killedModel.stream(...asked);
    },
  },
  options: { tools: listKilledTools(witness) as never, canUseTool: answerBy(witness) },
};

const wireModel = createWireModel();

/** The test's own. */
function answer(): Response {
  wireModel.release();
  return new Response('released');
}

const server = await createSessionServer({
  folder,
  wasm: await WebAssembly.compile(await readFile(wasmFile)),
  session: (id) =>
    id === 'killed' ? killed : { model: wireModel, options: { includePartialMessages: true } },
  authorize({ headers }) {
    const role = headers.get('authorization')?.slice('Bearer '.length) as WireRole | undefined;
    return role ? { owner: 'ann', role } : undefined;
  },
  ...(origin !== undefined && { origins: [origin] }),
  fetch: answer,
  onError: (error) => say(`error ${String(error)}`),
});
const { url } = await server.listen({ port: 0 });
say(`listening ${url}`);
