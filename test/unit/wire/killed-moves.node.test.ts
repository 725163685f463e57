// A server's process is killed by SIGKILL at messages of a move. The moves are a tab's to it and
// from it, and its own to another server and back. One place runs the session at every moment, and
// nothing is lost. A seeded sample; all of them by ALL_KILLS.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSession } from '../../../src/agent/open-session.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import type { SessionServer } from '../../../src/server.ts';
import { connectSession } from '../../../src/wire/connect-session.ts';
import { fetchTicket } from '../../../src/wire/fetch-ticket.ts';
import { askPlace } from '../../../src/wire/handover/ask-place.ts';
import { bringBack } from '../../../src/wire/handover/bring-back.ts';
import { moveSession } from '../../../src/wire/handover/move-session.ts';
import { atOnce } from '../../support/wire/moving-places.ts';
import { ofTurns, playTurn, readMovedEnding } from '../../support/wire/moved-turns.ts';
import { movingModel } from '../../support/wire/moving-model.ts';
import { createRandom } from '../../support/random.ts';
import { serveSessions } from '../../support/wire/serve-sessions.ts';
import { commands, startServerProcess } from '../../support/wire/server-process.ts';
import type { ServerProcess } from '../../support/wire/server-process.ts';

let parent: string;
let wasm: WebAssembly.Module;
let server: ServerProcess;
let beside: SessionServer;
let besideUrl: string;
const lines: string[] = [];
let onLine: (line: string) => void = () => {};
const besideErrors: unknown[] = [];

function hear(line: string): void {
  lines.push(line);
  onLine(line);
}

const start = (port?: number) =>
  startServerProcess(commands.node, join(parent, 'killed'), hear, undefined, port);

let starts = 0;

/** At the same address: who has noted it asks there. */
async function restart(): Promise<void> {
  starts += 1;
  await server.kill();
  server = await start(Number(new URL(server.url).port));
}

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'rockpool-killed-moves-'));
  wasm = await loadQuickjsWasm();
  server = await start();
  const served = await serveSessions({
    folder: join(parent, 'beside'),
    wasm,
    session: () => ({ model: movingModel, options: { permissionMode: 'bypassPermissions' } }),
    onError: (error) => void besideErrors.push(error),
  });
  beside = served.server;
  besideUrl = (await beside.listen({ port: 0 })).url;
}, 600_000);

afterAll(async () => {
  await server.kill();
  await beside[Symbol.asyncDispose]();
  rmSync(parent, { recursive: true, maxRetries: 5 });
  expect([lines.filter((line) => line.startsWith('error')), besideErrors]).toEqual([[], []]);
});

const toWire = (base: string, id: string) => `${base}/sessions/${id}/wire`;
const by = (url: string) => ({
  ticket: () => fetchTicket(url, { authorization: 'Bearer owner' }),
  clock: atOnce,
});

async function runsAt(url: string, session: string): Promise<boolean> {
  return (await askPlace(url, by(url))('look', { session, move: session }, {})).runsHere;
}

async function playThere(url: string, turn: number): Promise<void> {
  const session = await connectSession(url, { ticket: by(url).ticket });
  await playTurn(session, turn);
  await session.close();
}

const openHost = () => createInlineHost({ loadWasm: () => Promise.resolve(wasm) });

/** One session after the other. */
let sessions = 0;
const nextId = () => `moving-${(sessions += 1)}`;

interface Kill {
  /** Of the messages of its leg. */
  readonly at: number;
  readonly when: 'before' | 'after';
}

/** The ways that the session goes. */
const legs = ['fromTab', 'there', 'here', 'toTab'] as const;

type Leg = (typeof legs)[number];

/** What each of them takes. */
const messages = 10;

const everyKill: Kill[] = Array.from({ length: messages }, (_, at) =>
  (['before', 'after'] as const).map((when) => ({ at, when })),
).flat();

/** What a server process does with a session of its own. */
async function act(what: string, id: string, at?: string): Promise<Response> {
  const query = new URLSearchParams({ id, url: toWire(besideUrl, id), ...(at && { at }) });
  return fetch(`${server.url}/${what}?${query.toString()}`);
}

/** As a person would: asks how things stand, and moves again if need be. Gives how many messages it took. */
async function goBeside(id: string, target: 'there' | 'here', kill?: Kill): Promise<number> {
  const [here, there] = [toWire(server.url, id), toWire(besideUrl, id)];
  const owners = async () => [await runsAt(here, id), await runsAt(there, id)];
  const before = lines.length;
  const wanted = [target === 'here', target === 'there'];
  const what = target === 'there' ? 'moveTo' : 'bringBack';
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const stopped = new Promise<'stopped'>((resolve) => {
      onLine = (line) => void (line === 'stopped' && resolve('stopped'));
    });
    const at = kill && attempt === 0 ? `${kill.when}-${kill.at}` : undefined;
    const going = act(what, id, at).then(
      (response) => response.text(),
      () => 'lost',
    );
    const end = await Promise.race([going, stopped]);
    expect(end).toBe(at === undefined ? 'done' : 'stopped');
    if (at !== undefined) await restart();
    await going;
    // Whoever has asked and was not answered may not open it, either.
    expect(await owners()).not.toEqual([true, true]);
    if (target === 'there') {
      const settled: unknown = await (await act('settleMove', id)).json();
      expect(settled).toMatchObject({ isHere: (await owners())[0] });
      expect(await owners()).toContain(true);
    }
    if (String(await owners()) === String(wanted)) {
      return lines.slice(before).filter((line) => line.startsWith('message')).length;
    }
  }
  throw new Error(`It never came ${target}.`);
}

/** From a tab to the server, by that to the one beside and back, and to the tab again. Gives messages by leg. */
async function travel(kills: Partial<Record<Leg, Kill>> = {}): Promise<Record<Leg, number>> {
  const id = nextId();
  const url = toWire(server.url, id);
  const host = await openHost();
  let count = 0;
  const killing =
    (kill: Kill | undefined): typeof fetch =>
    async (address, init) => {
      const isNow = kill?.at === count;
      count += 1;
      if (isNow && kill.when === 'before') await restart();
      const response = await fetch(address, init);
      if (!isNow || kill.when === 'before') return response;
      await restart();
      throw new TypeError('The connection is lost.');
    };
  const options = { host, model: movingModel, permissionMode: 'bypassPermissions' } as const;
  const session = await openSession({ ...options, sessionId: id });
  await playTurn(session, 0);
  await session.close();
  const before = starts;
  await moveSession(id, url, { host, ...by(url), fetch: killing(kills.fromTab) });
  const fromTab = count;
  expect(await runsAt(url, id)).toBe(true);
  await expect(openSession({ ...options, resume: id })).rejects.toThrow(`runs at ${url} now`);
  const there = await goBeside(id, 'there', kills.there);
  await playThere(toWire(besideUrl, id), 1);
  const here = await goBeside(id, 'here', kills.here);
  count = 0;
  await bringBack(url, { host, ...by(url), fetch: killing(kills.toTab) });
  expect(await runsAt(url, id)).toBe(false);
  expect({ kills, ...(await readMovedEnding(host, id)) }).toEqual({ kills, ...ofTurns(2) });
  expect(starts - before).toBe(Object.keys(kills).length);
  await host[Symbol.asyncDispose]();
  return { fromTab, there, here, toTab: count };
}

it(
  'has the session or has it not, loses nothing of it, and settles by asking',
  { timeout: 1_200_000 },
  async () => {
    if (!process.env['ALL_KILLS']) {
      const { pick } = createRandom(43);
      const [ofTab, ofItself] = [pick(['fromTab', 'toTab']), pick(['there', 'here'])] as const;
      await travel({ [ofTab]: pick(everyKill), [ofItself]: pick(everyKill) });
      return;
    }
    expect(Object.values(await travel())).toEqual(legs.map(() => messages));
    for (const leg of legs) for (const kill of everyKill) await travel({ [leg]: kill });
  },
);
