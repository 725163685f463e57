// A process that serves sessions, in Node, Deno or Bun, for tests that kill it: `main <folder> <wasm> <origin> <port>`.
// It says what happens in it by lines. `killed` plays the conversation of killed-conversation.ts, those that begin with
// `moving` have moving-model.ts; every other one is a session of wire-model.ts.
import { readFile } from 'node:fs/promises';
import { createSessionServer } from '../../../src/server.ts';
import type { ServedSessionOptions } from '../../../src/server.ts';
import { fetchTicket } from '../../../src/wire/fetch-ticket.ts';
import type { WireRole } from '../../../src/wire/protocol.ts';
import { answerBy, killedModel, listKilledTools } from '../kills/killed-conversation.ts';
import { movingModel } from './moving-model.ts';
import { createWireModel } from './wire-model.ts';

const [folder = '', wasmFile = '', origin = '', port = '0'] = process.argv.slice(2);

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

const moving: ServedSessionOptions = {
  model: movingModel,
  options: { permissionMode: 'bypassPermissions' },
};

/** Stops at that message of a move, for good: `before-3`, `after-3`. */
function stopAt(at: string | null): typeof fetch {
  let count = 0;
  const stop = (when: string) => {
    if (at !== `${when}-${count}`) return;
    say('stopped');
    return new Promise<void>(() => {});
  };
  return async (url, init) => {
    say(`message ${count}`);
    await stop('before');
    const response = await fetch(url, init);
    await stop('after');
    count += 1;
    return response;
  };
}

/** The tests' own. `/moveTo`, `/bringBack`, `/settleMove`: of the session `id`; `url`, `at`: where. */
async function answer(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const id = searchParams.get('id') ?? '';
  const url = searchParams.get('url') ?? '';
  const ticket = (asked = url) => fetchTicket(asked, { authorization: 'Bearer owner' });
  const how = { ticket: () => ticket(), fetch: stopAt(searchParams.get('at')) };
  if (pathname === '/moveTo') await server.moveTo(id, url, how);
  if (pathname === '/bringBack') await server.bringBack(id, url, how);
  if (pathname === '/settleMove') return Response.json(await server.settleMove(id, { ticket }));
  wireModel.release();
  return new Response('done');
}

const server = await createSessionServer({
  folder,
  wasm: await WebAssembly.compile(await readFile(wasmFile)),
  session(id) {
    if (id === 'killed') return killed;
    if (id.startsWith('moving')) return moving;
    return { model: wireModel, options: { includePartialMessages: true } };
  },
  authorize({ headers }) {
    const role = headers.get('authorization')?.slice('Bearer '.length) as WireRole | undefined;
    return role ? { owner: 'ann', role } : undefined;
  },
  ...(origin !== '' && { origins: [origin] }),
  fetch: answer,
  onError: (error) => say(`error ${String(error)}`),
});
const { url } = await server.listen({ port: Number(port) });
say(`listening ${url}`);
