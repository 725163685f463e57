// Sessions on Node's own server, over the loopback. SERVER_RUNTIMES=deno,bun adds processes of other runtimes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { wireContract } from '../../contract/wire.contract.ts';
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

async function openProcessWire(runtime: ServerRuntime) {
  const folder = makeFolder();
  const { url, kill } = await startServerProcess(installRuntime(runtime), folder);
  const release = async () => void (await fetch(`${url}/release`));
  const wire = await openServedWire({ url, release });
  return {
    ...wire,
    async close() {
      await wire.close();
      await kill();
      rmSync(folder, { recursive: true });
    },
  };
}

wireContract('sockets of a server in Node', openNodeWire);

for (const runtime of (process.env['SERVER_RUNTIMES'] ?? '').split(',').filter(Boolean)) {
  wireContract(
    `sockets of a process of ${runtime}`,
    () => openProcessWire(runtime as ServerRuntime),
    // Deno breaks a connection that it closes while its client still sends, which may then not hear why.
    { floods: runtime !== 'deno' },
  );
}
