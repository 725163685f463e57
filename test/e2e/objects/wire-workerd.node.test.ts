// Clients of a session in a workerd. One is Node, by its own WebSocket and its own fetch. One is a
// real tab over OPFS, whose session moves there and back. The tab has a second one beside it, and
// is closed in the middle of a move.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadQuickjsWasm } from '#quickjs-wasm';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { contentSecurityPolicy } from '../../../demo/content-security-policy.ts';
import { serveBuiltPage, type BuiltPage } from '../../../scripts/serve-built-page.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { connectSession } from '../../../src/wire/connect-session.ts';
import { fetchTicket } from '../../../src/wire/fetch-ticket.ts';
import type { Transport } from '../../../src/wire/keep-link.ts';
import { decodeFrame } from '../../../src/wire/handover/frames.ts';
import { ping, pong, wireProtocol } from '../../../src/wire/protocol.ts';
import type { WireRole } from '../../../src/wire/protocol.ts';
import { movedSessionContract } from '../../contract/moved-session.contract.ts';
import { buildKillableWorkerd } from '../../support/edge/killable-workerd.ts';
import type { KillableWorkerd } from '../../support/edge/killable-workerd.ts';
import { isResult, readUntil, texts } from '../../support/sessions/open-sessions.ts';
import { serveSessions } from '../../support/wire/serve-sessions.ts';
import { it } from '../chromium.ts';

let workerd: KillableWorkerd;
let address: string;
let served: BuiltPage;
/** Goes on beside the tests of this file: nobody may look at those objects meanwhile. */
let slept: Promise<readonly Slept[]> | undefined;

beforeAll(async () => {
  [workerd, served] = await Promise.all([
    buildKillableWorkerd({ main: 'test/support/wire/wire-main.ts', hear: () => undefined }),
    serveBuiltPage({
      page: 'test/e2e/page/moved-page.html',
      // Another port of this machine, also by a socket.
      policy: contentSecurityPolicy.replace('connect-src', 'connect-src ws://127.0.0.1:*'),
    }),
  ]);
  await start();
  address = await workerd.address();
  slept = process.env['KILLS'] ? undefined : Promise.all(sleepers.map(sleepAndAnswer));
  // The last test tells why.
  slept?.catch(() => undefined);
});

afterAll(async () => {
  await served.close();
  await workerd.close();
});

const start = () => workerd.start({ ORIGIN: new URL(served.url).origin });

const say = (page: Page, text: string) =>
  page.evaluate((words) => window.movedPage!.say(words), text);

/** Moves it, and closes the tab once the object has taken it over, before the tab hears of that. */
async function closeInMove(page: Page, url: string): Promise<void> {
  const taken = new Promise<void>((resolve) => {
    void page.route('**/wire/move', async (route) => {
      const body = route.request().postDataBuffer();
      const { fields } = await decodeFrame(new Uint8Array(body ?? []));
      if (fields['type'] !== 'take') return route.continue();
      await route.fetch();
      resolve();
    });
  });
  page.evaluate((to) => window.movedPage!.moveTo(to), url).catch(() => undefined);
  await taken;
  await page.close();
}

movedSessionContract('an object of a workerd', async () => ({
  address: `${address}moved/wire`,
  // In the slow lane: to start it again takes as long as all the rest.
  ...(process.env['KILLS'] && {
    async restart() {
      workerd.kill();
      await start();
      // It listens at another port now.
      address = await workerd.address();
      return `${address}moved/wire`;
    },
  }),
}));

describe('a session in a workerd', () => {
  it.each<Transport>(['socket', 'events'])(
    'is driven from Node by %s: a question, its answer, files, and what another one is told',
    async (transport) => {
      const url = `${address}${transport}/wire`;
      const connect = (role: WireRole) =>
        connectSession(url, {
          transport,
          ticket: () => fetchTicket(url, { authorization: `Bearer ${role}` }),
        });
      const owner = await connect('owner');
      const viewer = await connect('views');
      const told: SDKMessage[] = [];
      void (async () => {
        for await (const message of viewer.messages()) told.push(message);
      })();
      const files = await viewer.followFiles();
      await owner.send('write afar');
      await expect.poll(() => owner.questions().length).toBe(1);
      await owner.answer(owner.questions()[0]?.requestId ?? '', { behavior: 'allow' });
      await expect.poll(() => texts(told).at(-1)).toBe('assistant: Done.');
      expect(await files.fs.readFile('/workspace/a.txt', 'utf8')).toBe('afar');
      await expect(viewer.send('Me too.')).rejects.toMatchObject({ code: 'permission-denied' });
      await expect(connectSession(url, { transport, ticket: 'forged' })).rejects.toMatchObject({
        code: 'permission-denied',
      });
      await owner.close();
      await viewer.close();
    },
  );

  it('counts no client that has left, also where nothing was sent to it since', async () => {
    const url = `${address}for-two/wire`;
    const headers = { authorization: 'Bearer owner' };
    const connect = (transport: Transport) =>
      connectSession(url, { transport, ticket: () => fetchTicket(url, headers) });
    const steady = await connect('events');
    for (const transport of ['events', 'events', 'socket'] as const) {
      await (await connect(transport)).close();
    }
    expect(steady.connection()).toBe('open');
    await steady.close();
  });

  it('takes a session of a server in the middle of a question, and moves it back by itself', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rockpool-moved-served-'));
    const { server, errors } = await serveSessions({ folder, wasm: await loadQuickjsWasm() });
    const home = `${(await server.listen({ port: 0 })).url}/s1/wire`;
    const url = `${address}served/wire`;
    const ticket = () => fetchTicket(url, { authorization: 'Bearer owner' });
    const here = await server.session('s1');
    await here.send('write served');
    await expect.poll(() => here.questions().length, inTime).toBe(1);
    await server.moveTo('s1', url, { ticket });
    const there = await connectSession(url, { ticket });
    await expect.poll(() => there.questions().length, inTime).toBe(1);
    await there.answer(there.questions()[0]?.requestId ?? '', { behavior: 'allow' });
    await readUntil(there, isResult);
    const told = readUntil(there, isMoved);
    const away = await fetch(`${address}served/move-away?url=${encodeURIComponent(home)}`);
    expect(await away.text()).toBe('done');
    expect((await told).at(-1)).toMatchObject({ url: home, is_unsure: false });
    await there.close();
    const { n } = await here.send('Home?');
    expect(texts(await readUntil(here, isResult, n)).at(-1)).toBe('assistant: Home?');
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, maxRetries: 5 });
    expect(errors).toEqual([]);
  });

  it('takes a session of a tab with a question open and gives it back the same; other tabs are led to it, and one that was closed meanwhile', async ({
    browser,
  }) => {
    const url = `${address}tab/wire`;
    await using context = await browser.newContext();
    const openTab = async () => {
      const page = await context.newPage();
      await page.goto(served.url);
      await page.waitForFunction(() => window.movedPage !== undefined);
      return page;
    };
    const open = (page: Page) => page.evaluate(() => window.movedPage!.open('moves'));
    const page = await openTab();
    expect(await open(page)).toEqual(['opfs-log', 'runner']);
    const second = await openTab();
    expect(await open(second)).toEqual(['opfs-log', 'viewer']);
    await say(page, 'cell let count = 1; count');
    const asked = await page.evaluate(() => window.movedPage!.ask('write before'));
    // From here on the tab is the session's viewer.
    expect(await page.evaluate((to) => window.movedPage!.moveTo(to), url)).toBe('viewer');
    expect(await second.evaluate(() => window.movedPage!.lastWord())).toMatchObject({
      subtype: 'session_moved',
      url,
      is_unsure: false,
    });
    expect(await second.evaluate(() => window.movedPage!.refusal())).toMatchObject({
      code: 'bad-usage',
      message: expect.stringContaining(`runs at ${url} now`),
    });
    await second.close();
    expect(await page.evaluate(() => window.movedPage!.questions())).toEqual([asked]);
    await page.evaluate(() => window.movedPage!.allow());
    await say(page, 'cell count += 1');
    await page.evaluate((from) => window.movedPage!.bringBack(from), url);
    await say(page, 'cell count += 10');
    await closeInMove(page, url);

    const again = await openTab();
    await expect(open(again)).rejects.toThrow('was not answered when it was moved');
    expect(await again.evaluate(() => window.movedPage!.settle())).toEqual({ isHere: false, url });
    await again.evaluate((to) => window.movedPage!.connect(to), url);
    await say(again, 'cell count += 100');
    await again.evaluate((from) => window.movedPage!.bringBack(from), url);
    expect(await again.evaluate(() => window.movedPage!.read())).toEqual({
      said: [
        ...['user: cell let count = 1; count', 'assistant: tool_use', 'assistant: Done.'],
        ...['user: write before', 'assistant: tool_use', 'assistant: Done.'],
        ...['user: cell count += 1', 'assistant: tool_use', 'assistant: Done.'],
        ...['user: cell count += 10', 'assistant: tool_use', 'assistant: Done.'],
        ...['user: cell count += 100', 'assistant: tool_use', 'assistant: Done.'],
      ],
      files: { 'a.txt': 'before' },
      cells: ['=> 1', '=> 2', '=> 12', '=> 112'],
      // 5 a reply: model-streams.ts.
      tokens: 10 * 5,
      twice: [],
    });
  });

  // Nothing but idling shows that it sleeps by itself.
  it.runIf(!process.env['KILLS'])(
    'is let go by the runtime at rest and while a question is open, and a new instance goes on over the same sockets',
    { timeout: 600_000 },
    async () => {
      const woken = {
        // One more: pings have woken none.
        instances: [1, 2],
        connected: 1,
        connection: 'open',
        pings: expect.any(Number) as number,
        closed: 0,
      };
      const [atRest, asking] = (await slept) ?? [];
      expect(atRest).toEqual({
        ...woken,
        questions: 0,
        pongs: atRest?.pings,
        told: ['Good night.', 'Good morning.'].flatMap((words) => [
          `user: ${words}`,
          `assistant: ${words}`,
        ]),
      });
      expect(asking).toEqual({
        ...woken,
        questions: 1,
        pongs: asking?.pings,
        told: [
          ...['user: write slept', 'assistant: tool_use'],
          ...['user: tool_result', 'assistant: Done.'],
        ],
      });
    },
  );
});

/** What came of a session that was left alone. */
interface Slept {
  /** How many instances there were when it fell asleep, and when it had answered. */
  readonly instances: readonly [number, number];
  readonly told: readonly string[];
  readonly questions: number;
  /** Of the client that followed it: how often it connected, and how it was connected at the end. */
  readonly connected: number;
  readonly connection: string;
  /** Of a socket beside it. */
  readonly pings: number;
  readonly pongs: number;
  readonly closed: number;
}

/** 25 s: the runtime lets an object go that was idle for 10. */
const sleepMs = 25_000;

/** A turn that is over, and one that waits for its question's answer. */
const sleepers = [
  { name: 'at-rest', first: 'Good night.', asks: false },
  { name: 'asking', first: 'write slept', asks: true },
] as const;

/** Says something, says nothing for 25 s but pings, and goes on. */
async function sleepAndAnswer({ name, first, asks }: (typeof sleepers)[number]): Promise<Slept> {
  const url = `${address}${name}/wire`;
  const ticketFor = (role: WireRole) => fetchTicket(url, { authorization: `Bearer ${role}` });
  let connected = 0;
  const owner = await connectSession(url, {
    ticket() {
      connected += 1;
      return ticketFor('owner');
    },
  });
  const told: SDKMessage[] = [];
  void (async () => {
    for await (const message of owner.messages()) told.push(message);
  })();
  const state = asks ? 'requires_action' : 'idle';
  await owner.send(first);
  if (!asks) await expect.poll(() => texts(told).at(-1), inTime).toBe(`assistant: ${first}`);
  await expect.poll(() => owner.state(), inTime).toBe(state);
  let [pings, pongs, closed] = [0, 0, 0];
  const quiet = new WebSocket(url.replace(/^http/u, 'ws'), [
    wireProtocol,
    `rockpool-ticket.${await ticketFor('views')}`,
  ]);
  quiet.addEventListener('message', ({ data }) => void (data === pong && (pongs += 1)));
  quiet.addEventListener('close', () => (closed += 1));
  await new Promise((resolve) => quiet.addEventListener('open', resolve));
  const before = await listInstances(name);
  const pinging = setInterval(() => {
    quiet.send(ping);
    pings += 1;
  }, 1_000);
  await new Promise((resolve) => setTimeout(resolve, sleepMs));
  clearInterval(pinging);
  const questions = owner.questions().length;
  if (asks) await owner.answer(owner.questions()[0]?.requestId ?? '', { behavior: 'allow' });
  else await owner.send('Good morning.');
  const last = `assistant: ${asks ? 'Done.' : 'Good morning.'}`;
  await expect.poll(() => texts(told).at(-1), inTime).toBe(last);
  await expect.poll(() => pongs, inTime).toBe(pings);
  const after = await listInstances(name);
  const connection = owner.connection();
  quiet.close();
  await owner.close();
  const instances = [before.length, after.length] as const;
  return {
    ...{ instances, told: texts(told), questions, connected, connection },
    ...{ pings, pongs, closed },
  };
}

async function listInstances(name: string): Promise<readonly string[]> {
  return (await (await fetch(`${address}${name}/instances`)).json()) as string[];
}

const isMoved = (message: SDKMessage) =>
  message.type === 'system' && message.subtype === 'session_moved';

/** The machine may be busy. */
const inTime = { timeout: 240_000 };
