// Sessions on Node's own server, over the loopback. SERVER_RUNTIMES=deno,bun adds processes of other runtimes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { expect, it } from 'vitest';
import { movedSessionContract } from '../../contract/moved-session.contract.ts';
import { wireContract } from '../../contract/wire.contract.ts';
import { maxFrameBytes } from '../../../src/wire/pieces.ts';
import { installRuntime } from '../../support/install-runtime.ts';
import type { ServerRuntime } from '../../support/install-runtime.ts';
import { serveSessions } from '../../support/serve-sessions.ts';
import { openServedWire } from '../../support/served-wire.ts';
import { startServerProcess } from '../../support/server-process.ts';

const makeFolder = () => mkdtempSync(join(tmpdir(), 'rockpool-served-'));

async function openNodeWire() {
  const folder = makeFolder();
  const { server, release } = await serveSessions({ folder, wasm: await loadQuickjsWasm() });
  const { url } = await server.listen({ port: 0 });
  const wire = await openServedWire({ url, release: async () => release() });
  return {
    ...wire,
    async close() {
      await wire.close();
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

async function openProcess(runtime: ServerRuntime) {
  const folder = makeFolder();
  const { url, kill } = await startServerProcess(installRuntime(runtime), folder);
  return {
    url,
    async close() {
      await kill();
      rmSync(folder, { recursive: true });
    },
  };
}

async function openProcessWire(runtime: ServerRuntime) {
  const { url, close } = await openProcess(runtime);
  const release = async () => void (await fetch(`${url}/release`));
  const wire = await openServedWire({ url, release });
  return {
    ...wire,
    async close() {
      await wire.close();
      await close();
    },
  };
}

wireContract('sockets of a server in Node', openNodeWire);

it('tells its operator what authorize has thrown, and whoever asked a sentence', async () => {
  const folder = makeFolder();
  const thrown = new Error('no route to postgres://me:secret@db');
  const { server, errors } = await serveSessions({
    folder,
    wasm: await loadQuickjsWasm(),
    authorize: () => Promise.reject(thrown),
  });
  const { url } = await server.listen({ port: 0 });
  const answer = await fetch(`${url}/s1/wire/ticket`, { method: 'POST' });
  const message = 'The server failed, and its operator was told. Try again.';
  const error = { name: 'SdkError', message, code: 'internal', data: {} };
  expect([answer.status, await answer.json(), errors]).toEqual([500, { error }, [thrown]]);
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

for (const runtime of (process.env['SERVER_RUNTIMES'] ?? '').split(',').filter(Boolean)) {
  wireContract(
    `sockets of a process of ${runtime}`,
    () => openProcessWire(runtime as ServerRuntime),
    // Deno breaks a connection that it closes while its client still sends, which may then not hear why.
    { floods: runtime !== 'deno' },
  );
  movedSessionContract(`a process of ${runtime}`, async () => {
    const { url, close } = await openProcess(runtime as ServerRuntime);
    // More than the runtime takes as a frame.
    return { address: `${url}/sessions/moved/wire`, fileBytes: 2.5 * maxFrameBytes, close };
  });
}
