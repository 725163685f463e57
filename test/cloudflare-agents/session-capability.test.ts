// A session as a capability of Cloudflare's `agents`, in real workerd. It is beside an Agent's own
// state, SQL, schedules and requests, and in a plain object that has a Lifecycle. Run by
// `npm run cloudflare:agents`.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SDKMessage } from '../../src/core/messages/sdk-message.ts';
import { connectSession } from '../../src/wire/connect-session.ts';
import { fetchTicket } from '../../src/wire/fetch-ticket.ts';
import { texts } from '../support/sessions/open-sessions.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const wasm = 'quickjs-wasi/quickjs.wasm';
let workerd: Miniflare;
let address: string;

beforeAll(async () => {
  const result = await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    resolve: {
      conditions: ['rockpool-source', 'workerd', 'worker', 'module', 'browser', 'production'],
      // The library's own import of it, too.
      alias: [
        {
          find: 'agents/lifecycle',
          replacement: `${folder}node_modules/agents/dist/lifecycle/index.js`,
        },
      ],
    },
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      target: 'es2024',
      lib: { entry: `${folder}worker.ts`, formats: ['es'] },
      rolldownOptions: {
        external: (id) => id === wasm || /^(?:node|cloudflare):/u.test(id),
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
  const [{ output }] = result as unknown as readonly [
    { readonly output: readonly { readonly fileName: string; readonly code: string }[] },
  ];
  const modules = output.map(({ fileName, code }) => ({
    type: 'ESModule' as const,
    path: fileName,
    contents: code.replaceAll(wasm, './quickjs.wasm'),
  }));
  workerd = new Miniflare(
    convertV4MiniflareOptions({
      workers: [
        {
          name: 'agents',
          modules: [
            // The main module comes first.
            ...modules.toSorted(({ path }) => (path === 'worker.js' ? -1 : 1)),
            {
              type: 'CompiledWasm',
              path: 'quickjs.wasm',
              contents: readFileSync(createRequire(import.meta.url).resolve(wasm)),
            },
          ],
          // Of 2026-08-04 or later: the package needs node compatibility, which is a default from there on.
          compatibilityDate: '2026-10-15',
          durableObjects: {
            PLAIN: { className: 'PlainObject', useSQLite: true },
            AGENT: { className: 'AgentObject', useSQLite: true },
          },
        },
      ],
      cf: false,
    }),
  );
  address = String(await workerd.ready);
});

afterAll(() => workerd?.dispose());

const ask = async (path: string): Promise<unknown> => (await fetch(`${address}${path}`)).json();

describe.each(['PLAIN', 'AGENT'])('a session as a capability of %s', (binding) => {
  it('is driven over its socket, asks, and is answered; other requests are the class’s', async () => {
    const url = `${address}${binding}/driven/wire`;
    const ticket = () => fetchTicket(url, { 'x-role': 'owner' });
    const session = await connectSession(url, { transport: 'socket', ticket });
    const told: SDKMessage[] = [];
    void (async () => {
      for await (const message of session.messages()) told.push(message);
    })();
    await session.send('write afar');
    await expect.poll(() => session.questions().length).toBe(1);
    expect(await ask(`${binding}/driven/other`)).toEqual({ reminded: false });
    await session.answer(session.questions()[0]?.requestId ?? '', { behavior: 'allow' });
    await expect.poll(() => texts(told).at(-1)).toBe('assistant: Done.');
    const { fs } = await session.followFiles();
    expect(await fs.readFile('/workspace/a.txt', 'utf8')).toBe('afar');
    await session.close();
    const stranger = await fetch(`${url}/ticket`, { method: 'POST' });
    expect(stranger.ok).toBe(false);
  });

  it('shares the one alarm: its steps and the class’s own schedule both come', async () => {
    await ask(`${binding}/shared/remind`);
    await fetch(`${address}${binding}/shared/prompt?text=hello`);
    await expect.poll(() => ask(`${binding}/shared/asked`)).toBe(1);
    await expect.poll(() => ask(`${binding}/shared/other`)).toEqual({ reminded: true });
  });

  it('runs a turn that a job of the class’s own waits for', async () => {
    await ask(`${binding}/waited/report`);
    const report = () => ask(`${binding}/waited/other`);
    await expect.poll(report).toEqual({ reminded: false, report: 'a report' });
  });

  it('goes on after its object died, without any request', async () => {
    await fetch(`${address}${binding}/dead/prompt?text=dies`);
    // Lifecycle rings again 30 s after a drive that didn't end.
    await expect.poll(() => ask(`${binding}/dead/asked`), { timeout: 55_000 }).toBe(2);
  });
});
