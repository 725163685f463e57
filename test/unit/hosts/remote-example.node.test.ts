// docs/examples/remote.ts over a real server of sessions: what it starts runs there, and can be read afterwards.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { expect, it, onTestFinished } from 'vitest';
import { createRemoteTriggers } from '../../../docs/examples/remote.ts';
import type { RemoteTriggerRequest } from '../../../src/core/host-ports/remote-trigger.ts';
import { serveSessions } from '../../support/wire/serve-sessions.ts';

it('starts sessions on a server, and reads what they have said', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rockpool-remote-'));
  const { server } = await serveSessions({ folder, wasm: await loadQuickjsWasm() });
  onTestFinished(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
  const { url } = await server.listen({ port: 0 });
  const remote = createRemoteTriggers(
    url,
    { tides: 'Look at the tides.' },
    { authorization: 'Bearer owner' },
  );
  const { signal } = new AbortController();
  const ask = async (request: RemoteTriggerRequest) => remote(request, { signal });
  expect(await ask({ action: 'list' })).toEqual({ status: 200, data: ['tides'] });
  expect(await ask({ action: 'run', trigger_id: 'none' })).toMatchObject({ status: 404 });
  expect(await ask({ action: 'create', body: {} })).toMatchObject({ status: 501 });

  const begun = await ask({
    action: 'run',
    trigger_id: 'tides',
    body: { details: 'At Low Cove.' },
  });
  const { session_id } = begun.data as { readonly session_id: string };
  expect(begun).toMatchObject({ status: 201, summary: `Session ${session_id} has begun.` });
  const runs = await ask({ action: 'list_runs', trigger_id: 'tides' });
  expect(runs).toEqual({ status: 200, data: [session_id] });
  const prompt = 'Look at the tides.\n\nAt Low Cove.';
  expect(await ask({ action: 'get_run_log', session_id })).toEqual({
    status: 200,
    data: { log: [prompt, prompt], isDone: true },
  });
  expect(await ask({ action: 'get_run_log', session_id: 'other' })).toMatchObject({ status: 404 });
});
