// `npm run bench -- repl`: cells in real Chromium, beside bare QuickJS engines and, for a whole "run
// this code" call, beside codemode and js-exec. What each metric is stands in repl/notes.ts.
import type { BenchResult } from '../../scripts/bench.ts';
import { serveBuiltPage, type BuiltPageOptions } from '../../scripts/serve-built-page.ts';
import { isolatingHeaders } from '../support/browser/isolating-headers.ts';
import { buildPeers, type PeerFiles } from './peers/build-peers.ts';
import { describeLoad } from './repl/describe-load.ts';
import { goals } from './repl/goals.ts';
import { measureCuts, measureNestedTools } from './repl/measure-agent.ts';
import { measureCold, measureWarm } from './repl/measure-calls.ts';
import { measureFiles } from './repl/measure-files.ts';
import { measureKernels } from './repl/measure-kernels.ts';
import { createPayloadServer, measurePayload } from './repl/measure-payload.ts';
import { measureCodemode, measureJsExec, measureOwnJob } from './repl/measure-runners.ts';
import { measureSnapshots } from './repl/measure-snapshots.ts';
import { notes } from './repl/notes.ts';
import { attempt, together, type Figures } from './repl/stage.ts';

export async function bench(): Promise<BenchResult> {
  const peers = await buildPeers(['codemode', 'quickjs-emscripten']);
  const payload = await createPayloadServer();
  const page = await serveBuiltPage({
    page: 'test/bench/pages/repl.html',
    headers: isolatingHeaders,
    handle: (path, request, response) =>
      payload.handle(path, request, response) || servePeers(peers)(path, request, response),
  });
  try {
    const { url } = page;
    const found = together([
      await attempt('cold', () => measureCold(url)),
      await attempt('warm', () => measureWarm(url)),
      await attempt('job', () => measureOwnJob(url)),
      await attempt('codemode', () => measureCodemode(url)),
      await attempt('js-exec', measureJsExec),
      await attempt('kernels', () => measureKernels(url)),
      await attempt('files', () => measureFiles(url)),
      await attempt('nested tools', () => measureNestedTools(url)),
      await attempt('snapshots', () => measureSnapshots(url)),
      await attempt('cuts', () => measureCuts(url)),
      await attempt('payload', () => measurePayload(url, payload)),
    ]);
    return {
      metrics: inOrder(found.figures),
      notes: [...notes, ...found.notes, describeLoad()],
      goals,
    };
  } finally {
    await page.close();
  }
}

function servePeers(files: PeerFiles): NonNullable<BuiltPageOptions['handle']> {
  return (path, _request, response) => {
    if (path === 'peers/codemode.html') {
      response.removeHeader('content-security-policy');
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Peer</title>');
      return true;
    }
    const content = path.startsWith('peers/') ? files.get(path.slice('peers/'.length)) : undefined;
    if (content === undefined) return false;
    const type = path.endsWith('.wasm') ? 'application/wasm' : 'text/javascript';
    response.setHeader('content-type', type).end(content);
    return true;
  };
}

/** In the order of the goals, and then the rest; what is missing is null. */
function inOrder(figures: Figures): Figures {
  const wanted = goals.flatMap(({ metric, beside = [] }) => [metric, ...beside]);
  const names = [...new Set([...wanted, ...Object.keys(figures)])];
  // Four digits: more would say that the measurement is good for them.
  const rounded = (value: number | null | undefined) =>
    value === null || value === undefined ? null : Number(value.toPrecision(4));
  return Object.fromEntries(names.map((name) => [name, rounded(figures[name])]));
}
