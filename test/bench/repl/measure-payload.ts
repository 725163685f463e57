// What the Repl's worker fetches before its first cell answers. It counts the responses that a
// server on this machine really gave, for a page as an embedder's bundler builds it.
import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { basename } from 'node:path';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FirstAnswer } from '../pages/repl/payload.ts';
import { withTab } from './bench-page.ts';
import type { Stage } from './stage.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const page = 'test/bench/pages/repl/payload.html';
const pathPrefix = 'payload/';

/** One response, as far as it is counted. */
interface Fetched {
  readonly file: string;
  /** The file whose code asked for it. */
  readonly from: string;
  readonly gzipBytes: number;
}

/** Answers requests below `payload/` and remembers them. */
export interface PayloadServer {
  handle(path: string, request: IncomingMessage, response: ServerResponse): boolean;
  readonly fetched: readonly Fetched[];
}

/** Builds the page: minified, as bundlers do it unless told otherwise. */
export async function createPayloadServer(): Promise<PayloadServer> {
  const files = await buildPayloadPage();
  const fetched: Fetched[] = [];
  return {
    fetched,
    handle(path, request, response) {
      const bytes = files.get(path);
      if (!bytes) return false;
      const from = basename(new URL(request.headers.referer ?? 'http://none/').pathname);
      fetched.push({ file: basename(path), from, gzipBytes: gzipSync(bytes).length });
      response.setHeader('content-type', mimeType(path)).end(bytes);
      return true;
    },
  };
}

export function measurePayload(url: string, server: PayloadServer): Promise<Stage> {
  return withTab(async (tab) => {
    await tab.goto(new URL(`${pathPrefix}payload.html`, url).href);
    await tab.waitForFunction(() => window.runFirstCell !== undefined);
    const answer: FirstAnswer | undefined = await tab.evaluate(() => window.runFirstCell?.());
    if (answer?.display !== '42') throw new Error(`The cell gave ${JSON.stringify(answer)}.`);

    const files = listWorkerFiles(server.fetched);
    if (!files.some(({ file }) => file.endsWith('.wasm'))) {
      throw new Error(`The worker fetched no engine: ${files.map(({ file }) => file).join(', ')}.`);
    }
    const kilobytes = (bytes: number) => bytes / 1000;
    const total = files.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0);
    const list = files.map(({ file, gzipBytes }) => `${file} ${kilobytes(gzipBytes).toFixed(1)}`);
    return {
      figures: { payload_gz_kb: kilobytes(total) },
      notes: [`The Repl's worker fetched (kB gzipped): ${list.join(', ')}.`],
    };
  });
}

/** The tool worker's own file, and what it or what it imported asked for; each file once. */
function listWorkerFiles(fetched: readonly Fetched[]): Fetched[] {
  const found = new Map<string, Fetched>();
  // As often as there are files. An import is logged after the file that asks for it, but a spare
  // worker asks for the first ones again.
  for (const one of [...fetched, ...fetched]) {
    if (one.file.startsWith('tool.worker') || found.has(one.from)) found.set(one.file, one);
  }
  return [...found.values()];
}

async function buildPayloadPage(): Promise<ReadonlyMap<string, Uint8Array>> {
  const { build } = await import('vite');
  const result = await build({
    configFile: `${root}vite.config.ts`,
    logLevel: 'error',
    root: `${root}test/bench/pages/repl`,
    publicDir: false,
    build: { write: false, rolldownOptions: { input: root + page } },
  });
  if (!('output' in result)) throw new Error('Building the payload page gave no single output.');
  return new Map(
    result.output.map((part) => [
      pathPrefix + part.fileName,
      Buffer.from(part.type === 'chunk' ? part.code : part.source),
    ]),
  );
}

function mimeType(path: string): string {
  if (path.endsWith('.html')) return 'text/html';
  return path.endsWith('.wasm') ? 'application/wasm' : 'text/javascript';
}
