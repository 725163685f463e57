// WebKitGTK for the slow lane: the nearest to Safari that Linux has. It speaks the classic WebDriver
// protocol and nothing newer, and needs a display, which Xvfb is.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { findWebKit } from '../../scripts/find-webkit.ts';

export interface WebKit {
  open(url: string): Promise<void>;
  resize(size: { readonly width: number; readonly height: number }): Promise<void>;
  /** Runs an expression in the page; what it gives must be JSON. A promise is awaited. */
  evaluate(expression: string): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * Off by default in the GTK port, on in Safari. Synchronous OPFS handles aren't there in this port, so a workspace is
 * kept in IndexedDB.
 */
const FEATURES = '+StorageAPI,+StorageAPIEstimate,+FileSystem,+FileSystemWritableStream';

/** Starts MiniBrowser on a throw-away profile. Throws with what to install where there is none. */
export async function launchWebKit(): Promise<WebKit> {
  const { driver, display, browser } = findWebKit();
  const profile = mkdtempSync(join(tmpdir(), 'webkit-'));
  const processes: ChildProcess[] = [];
  const end = async () => {
    for (const child of processes.reverse()) await endGroup(child);
    rmSync(profile, { recursive: true, force: true });
  };
  try {
    const screen = spawn(
      display,
      ['-displayfd', '3', '-screen', '0', '1400x1000x24', '-nolisten', 'tcp'],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe'], detached: true },
    );
    processes.push(screen);
    const [number] = (await once(screen.stdio[3] as Readable, 'data')) as [Buffer];
    const port = await findPort();
    const server = spawn(driver, [`--port=${port}`], {
      stdio: 'ignore',
      detached: true,
      env: { ...process.env, ...environmentIn(profile), DISPLAY: `:${String(number).trim()}` },
    });
    processes.push(server);
    const session = await startSession(`http://127.0.0.1:${port}`, browser);
    return {
      open: async (url) => void (await session('/url', { url })),
      resize: async ({ width, height }) => void (await session('/window/rect', { width, height })),
      evaluate: (expression) =>
        session('/execute/sync', { script: `return (${expression})`, args: [] }),
      close: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** A profile of its own, and drawing without a graphics card. */
const environmentIn = (profile: string) => ({
  HOME: profile,
  XDG_CACHE_HOME: profile,
  XDG_CONFIG_HOME: profile,
  XDG_DATA_HOME: profile,
  XDG_RUNTIME_DIR: profile,
  GSETTINGS_BACKEND: 'memory',
  LIBGL_ALWAYS_SOFTWARE: '1',
  WEBKIT_DISABLE_COMPOSITING_MODE: '1',
  WEBKIT_DISABLE_DMABUF_RENDERER: '1',
});

type Command = (path: string, body: unknown) => Promise<unknown>;

async function startSession(server: string, binary: string): Promise<Command> {
  const post = async (path: string, body: unknown) => {
    const response = await fetch(`${server}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    const { value } = (await response.json()) as { value: unknown };
    if (!response.ok) throw new Error(`WebKit refused ${path}: ${JSON.stringify(value)}`);
    return value;
  };
  await untilAnswered(`${server}/status`);
  const options = { binary, args: ['--automation', `--features=${FEATURES}`] };
  const { sessionId } = (await post('/session', {
    capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } },
  })) as { sessionId: string };
  // A page's load and a script may take their time on a busy machine.
  const timeouts = { pageLoad: 300_000, script: 300_000 };
  await post(`/session/${sessionId}/timeouts`, timeouts);
  return (path, body) => post(`/session/${sessionId}${path}`, body);
}

/** The driver tells nobody when it listens. */
async function untilAnswered(url: string): Promise<void> {
  for (const deadline = Date.now() + 30_000; ;) {
    const answer = await fetch(url).catch((error: unknown) => error);
    if (answer instanceof Response) return;
    if (Date.now() > deadline) throw answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** The browser and its processes are in the driver's group. */
async function endGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  process.kill(-child.pid, 'SIGKILL');
  await ended;
}
