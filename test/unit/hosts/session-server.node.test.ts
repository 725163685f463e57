// Sessions on Node's own server, over the loopback.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { wireContract } from '../../contract/wire.contract.ts';
import { serveSessions } from '../../support/serve-sessions.ts';
import { openServedWire } from '../../support/served-wire.ts';

async function openNodeWire() {
  const folder = mkdtempSync(join(tmpdir(), 'rockpool-served-'));
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

wireContract('sockets of a server in Node', openNodeWire);
