// A workerd with its own disk, which a test kills and starts again. Each start is a new process over the disk of the
// process before. Node only, on Linux.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { bundle } from '../../../scripts/bundle.ts';
import { readIsolateMemory } from './isolate-memory.ts';
import type { IsolateMemory } from './isolate-memory.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const wasm = 'quickjs-wasi/quickjs.wasm';

/** The Worker that runs in it. */
export interface KillableSetup {
  /** The main module, from the repository's root. It exports a class `SessionObject`, bound as SESSIONS. */
  readonly main: string;
  /** Called with the path of each request to OUTSIDE. */
  readonly hear: (path: string) => void;
  /** Further classes of objects, by their bindings. */
  readonly objects?: Readonly<Record<string, string>>;
  /** For V8, with a blank between two. With them the isolate's memory can be read. */
  readonly v8Flags?: string;
}

export interface KillableWorkerd {
  /** Kills the running process and starts another. `bindings`: texts that the Worker gets from now on. */
  start(bindings?: Readonly<Record<string, string>>): Promise<void>;
  /** Replaces the running code. */
  deploy(bindings: Readonly<Record<string, string>>): Promise<void>;
  /** Sends a request. The path has the object's name and the request. */
  fetch(path: string, init?: { method: string; body?: string }): Promise<string>;
  /** Its HTTP address, with a slash at the end. */
  address(): Promise<string>;
  /** What its inspector says of the isolate, in bytes: V8's heap, and buffers outside of it. Only with `v8Flags`. */
  memory(): Promise<IsolateMemory>;
  /** Kills all of its processes by SIGKILL. */
  kill(): void;
  readonly isRunning: boolean;
  /** Ends it, and removes the disk. */
  close(): Promise<void>;
}

/** Bundles the Worker. Starts nothing yet. */
export async function buildKillableWorkerd(setup: KillableSetup): Promise<KillableWorkerd> {
  // One module, as wrangler deploys a Worker. Of hundreds, Miniflare takes three times as long to start one.
  const [main] = await bundle(
    root,
    [setup.main],
    (id) => id === wasm || id === 'cloudflare:workers',
    ['workerd'],
    true,
  );
  if (!main) throw new Error(`Bundling ${setup.main} gave no module.`);
  const modules = [
    {
      type: 'ESModule' as const,
      path: main.fileName,
      contents: main.code.replaceAll(wasm, './quickjs.wasm'),
    },
    {
      type: 'CompiledWasm' as const,
      path: 'quickjs.wasm',
      contents: readFileSync(createRequire(import.meta.url).resolve(wasm)),
    },
  ];
  const disk = mkdtempSync(join(tmpdir(), 'rockpool-killed-objects-'));
  let miniflare: Miniflare | undefined;
  let pids: readonly number[] = [];

  const answer = ({ url }: { readonly url: string }): never => {
    setup.hear(new URL(url).pathname);
    // The cast: Miniflare has a Response type of its own.
    return new Response('heard') as never;
  };

  const toOptions = (bindings: Readonly<Record<string, string>>) => ({
    ...convertV4MiniflareOptions({
      workers: [
        {
          name: 'sessions',
          modules: [...modules],
          bindings: { ...bindings },
          compatibilityDate: '2026-10-15',
          durableObjects: toBindings({ SESSIONS: 'SessionObject', ...setup.objects }),
          r2Buckets: ['CONTENTS'],
          serviceBindings: { OUTSIDE: answer },
        },
      ],
      cf: false,
      ...(setup.v8Flags !== undefined && { inspectorPort: 0 }),
    }),
    resourcePersistencePath: disk,
  });

  return {
    async start(bindings = {}) {
      await miniflare?.dispose();
      const before = new Set(listServers());
      miniflare = await withV8Flags(setup.v8Flags, async () => {
        const started = new Miniflare(toOptions(bindings));
        await started.ready;
        return started;
      });
      pids = listServers().filter((pid) => !before.has(pid));
    },
    async deploy(bindings) {
      const before = new Set(listServers());
      await miniflare?.setOptions(toOptions(bindings));
      pids = listServers().filter((pid) => !before.has(pid));
    },
    async fetch(path, init) {
      if (!miniflare) throw new Error('No workerd runs.');
      const response = await miniflare.dispatchFetch(`http://sessions/${path}`, init);
      const text = await response.text();
      if (!response.ok) throw new Error(`The object answered ${response.status}: ${text}`);
      return text;
    },
    async address() {
      if (!miniflare) throw new Error('No workerd runs.');
      return String(await miniflare.ready);
    },
    async memory() {
      if (!miniflare) throw new Error('No workerd runs.');
      return readIsolateMemory(await miniflare.getInspectorURL());
    },
    kill() {
      for (const pid of pids) process.kill(pid, 'SIGKILL');
    },
    get isRunning() {
      return pids.length > 0;
    },
    async close() {
      await miniflare?.dispose();
      rmSync(disk, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const toBindings = (classes: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(classes).map(([name, className]) => [name, { className, useSQLite: true }]),
  );

/** Miniflare reads them from the environment when it starts a workerd. */
async function withV8Flags<Value>(
  flags: string | undefined,
  start: () => Promise<Value>,
): Promise<Value> {
  const name = 'MINIFLARE_WORKERD_V8_FLAGS';
  const before = process.env[name];
  if (flags !== undefined) process.env[name] = flags;
  try {
    return await start();
  } finally {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  }
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
