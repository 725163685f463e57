// workerd is killed while a session runs in a Durable Object. Another workerd over the same disk resumes the
// session from the object's storage, and it comes to the same end. So does one with sub-agents. KILLS=40 (or any number) makes it a slow lane.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { bundle } from '../../scripts/bundle.ts';
import { killedConversations } from '../support/killed-conversations.ts';
import type { ConversationName, KilledEnding } from '../support/killed-conversations.ts';
import { createRandom } from '../support/random.ts';

const conversations = Object.entries(inject('sessionKills')) as [ConversationName, number][];
const root = fileURLToPath(new URL('../..', import.meta.url));
const wasm = 'quickjs-wasi/quickjs.wasm';

let modules: readonly {
  type: 'ESModule' | 'CompiledWasm';
  path: string;
  contents: string | Buffer;
}[];
let disk: string;
let server: Server | undefined;
/** By call, how often the counter has moved in this round. */
const moved = new Map<string, number>();
/** What a person was shown by the server of now. */
let asked: string[] = [];
/** Called with the journal's length as it grows. */
let onLanded = (_length: number) => {};

/** A workerd of ours. */
interface Server {
  readonly miniflare: Miniflare;
  /** All processes of it. */
  readonly pids: readonly number[];
}

beforeAll(async () => {
  const chunks = await bundle(root, ['test/support/killed-session-main.ts'], (id) => id === wasm);
  modules = [
    ...chunks
      .map(({ fileName, code }) => ({
        type: 'ESModule' as const,
        path: fileName,
        contents: code.replaceAll(wasm, './quickjs.wasm'),
      }))
      // The main module comes first.
      .toSorted(({ path }) => (path === 'killed-session-main.js' ? -1 : 1)),
    {
      type: 'CompiledWasm' as const,
      path: 'quickjs.wasm',
      contents: readFileSync(createRequire(import.meta.url).resolve(wasm)),
    },
  ];
  disk = mkdtempSync(join(tmpdir(), 'rockpool-killed-objects-'));
});

afterAll(async () => {
  await server?.miniflare.dispose();
  rmSync(disk, { recursive: true, force: true, maxRetries: 5 });
});

async function startServer(): Promise<void> {
  const before = new Set(listServers());
  const miniflare = new Miniflare({
    ...convertV4MiniflareOptions({
      workers: [
        {
          name: 'sessions',
          modules: [...modules],
          compatibilityDate: '2026-10-15',
          durableObjects: { SESSIONS: { className: 'SessionObject', useSQLite: true } },
          serviceBindings: { OUTSIDE: ({ url }: { url: string }) => hear(new URL(url).pathname) },
        },
      ],
      cf: false,
    }),
    resourcePersistencePath: disk,
  });
  await miniflare.ready;
  server = { miniflare, pids: listServers().filter((pid) => !before.has(pid)) };
}

/** The processes of workerd that this one has started, from Linux's /proc. */
function listServers(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .filter((name) => {
      try {
        const [, command, , parent] = /^\d+ \((.*)\) (\S) (\d+)/u.exec(
          readFileSync(`/proc/${name}/stat`, 'utf8'),
        ) ?? [''];
        return command?.startsWith('workerd') === true && Number(parent) === process.pid;
      } catch {
        return false;
      }
    })
    .map(Number);
}

function hear(path: string): never {
  const [, what = '', which = ''] = path.split('/');
  if (what === 'moved') moved.set(which, (moved.get(which) ?? 0) + 1);
  if (what === 'asked') asked.push(which);
  if (what === 'landed') onLanded(Number(which));
  // The cast: Miniflare has a Response type of its own.
  return new Response('heard') as never;
}

/** Runs the object's session to its end. Rejects where workerd is killed meanwhile. */
async function finish(name: string): Promise<KilledEnding> {
  asked = [];
  const response = await server!.miniflare.dispatchFetch(`http://sessions/${name}`);
  const text = await response.text();
  if (!response.ok) throw new Error(`The object answered ${response.status}: ${text}`);
  return JSON.parse(text) as KilledEnding;
}

/** Kills workerd in the moment in which the journal is heard to have so many entries. */
function killAt(wanted: number): Promise<'killed'> {
  return new Promise((resolve) => {
    onLanded = (length) => {
      if (length < wanted) return;
      onLanded = () => {};
      for (const pid of server!.pids) process.kill(pid, 'SIGKILL');
      resolve('killed');
    };
  });
}

describe.each(conversations)('a killed workerd: %s, %i times', (conversation, kills) => {
  it(
    'comes to the end of one that nobody killed',
    { timeout: 60_000 + kills * 15_000 },
    async () => {
      const random = createRandom(18);
      await server?.miniflare.dispose();
      await startServer();
      expect(server?.pids.length).toBeGreaterThan(0);
      const reference = await finish(`${conversation}/reference`);
      const faults: unknown[] = [];
      const lengths: number[] = [];
      for (let round = 0; round < kills; round += 1) {
        moved.clear();
        const name = `${conversation}/round-${round}`;
        const wanted = 1 + random.below(reference.entries.length - 1);
        // It fails when its workerd goes; one that fails or ends before that is a failure.
        const first = finish(name).then(() => 'finished');
        expect(await Promise.race([killAt(wanted), first])).toBe('killed');
        await server?.miniflare.dispose();
        await startServer();
        const ending = await finish(name);
        const again = ending.entries.find((entry) => entry.type === 'opened' && entry.n > 2);
        lengths.push((again?.n ?? 0) - 1);
        const seen = { moved, asked };
        const fault = killedConversations[conversation].findFaults(ending, reference, seen);
        if (fault) faults.push({ round, wanted, ...fault });
      }
      console.log(`killed with so many entries kept: ${lengths.join(', ')}`);
      expect(faults).toEqual([]);
      expect(lengths.filter((length) => length > 1).length).toBeGreaterThan(kills / 2);
    },
  );
});
