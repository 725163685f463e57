// Runs the bench's Worker in a workerd of its own and asks its object, from outside: clocks stand still within.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { bundle } from '../../../scripts/bundle.ts';
import { median } from '../workspace/statistics.ts';
import { cellKinds } from './cell-kinds.ts';
import { measureHour, measureRest } from './measure-hour.ts';
import type { MeasuredHour } from './measure-hour.ts';
import { listServers, measureStartup, readProcessorMs } from './measure-startup.ts';

const sleeps = 5;
const root = fileURLToPath(new URL('../../..', import.meta.url));
const wasm = 'quickjs-wasi/quickjs.wasm';

interface Answer {
  readonly ms: number;
  readonly rows: number;
  readonly written: number;
  readonly output: unknown;
}

export interface MeasuredObject {
  readonly openMs: number;
  readonly grep: Omit<Answer, 'output'>;
  readonly firstGrep: Omit<Answer, 'output'>;
  readonly writeRows: number;
  readonly wakeMs: number;
  readonly stepOverheadMs: number;
  readonly uploadKb: number;
  readonly wholeUploadKb: number;
  readonly startupMs: number;
  readonly restKb: number;
  readonly hour: MeasuredHour;
  readonly questionsPerMs: number;
}

export async function measureObject(): Promise<MeasuredObject> {
  const chunks = await bundle(root, ['test/bench/edge/object-main.ts'], (id) => id === wasm, [
    'workerd',
  ]);
  const modules = chunks
    .map(({ fileName, code }) => ({
      type: 'ESModule' as const,
      path: fileName,
      contents: code.replaceAll(wasm, './quickjs.wasm'),
    }))
    // The main module comes first.
    .toSorted(({ path }) => (path === 'object-main.js' ? -1 : 1));
  const engine = readFileSync(createRequire(import.meta.url).resolve(wasm));
  const startupMs = await measureStartup([
    ...modules,
    { type: 'CompiledWasm', path: 'quickjs.wasm', contents: engine },
  ]);
  const flags = process.env['MINIFLARE_WORKERD_V8_FLAGS'];
  // So that memory can be read when all that can go is gone.
  process.env['MINIFLARE_WORKERD_V8_FLAGS'] = '--expose-gc';
  const disk = mkdtempSync(join(tmpdir(), 'rockpool-bench-edge-'));
  const server = new Miniflare({
    ...convertV4MiniflareOptions({
      workers: [
        {
          name: 'bench',
          modules: [...modules, { type: 'CompiledWasm', path: 'quickjs.wasm', contents: engine }],
          compatibilityDate: '2026-10-15',
          durableObjects: { OBJECTS: { className: 'BenchObject', useSQLite: true } },
        },
      ],
      cf: false,
      inspectorPort: 0,
    }),
    resourcePersistencePath: disk,
  });
  try {
    await server.ready;
    return {
      ...(await measure(server)),
      startupMs,
      uploadKb: gzippedKb([...chunks.map((c) => c.code), engine]),
      wholeUploadKb: gzippedKb([
        Buffer.concat([...chunks.map((c) => Buffer.from(c.code)), engine]),
      ]),
    };
  } finally {
    await server.dispose();
    if (flags === undefined) delete process.env['MINIFLARE_WORKERD_V8_FLAGS'];
    else process.env['MINIFLARE_WORKERD_V8_FLAGS'] = flags;
    rmSync(disk, { recursive: true, force: true, maxRetries: 5 });
  }
}

type Uploaded = 'uploadKb' | 'wholeUploadKb' | 'startupMs';

async function measure(server: Miniflare): Promise<Omit<MeasuredObject, Uploaded>> {
  const ask = async (path: string): Promise<Answer> => {
    const begun = performance.now();
    const response = await server.dispatchFetch(`http://bench/${path}`);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    const { read, ...answer } = JSON.parse(text) as Answer & { readonly read: number };
    return { ...answer, rows: read, ms: performance.now() - begun };
  };
  const sleep = () => ask('sleep').catch(() => undefined);

  const restKb = await measureRest(server, ask);
  const questionsPerMs = await measureQuestions(ask);
  await ask('fill?object=hour');
  const hour = await measureHour(
    (path) => ask(`${path}?object=hour`),
    () => ask('sleep?object=hour').catch(() => undefined),
  );
  await ask('fill');
  await sleep();
  await ask('open');
  const firstGrep = await ask('grep');
  const found = JSON.stringify(firstGrep.output);
  const greps: Answer[] = [];
  const openMs: number[] = [];
  for (let round = 0; round < sleeps; round += 1) {
    await sleep();
    openMs.push((await ask('open')).ms);
    const grep = await ask('grep');
    if (JSON.stringify(grep.output) !== found) throw new Error('A Grep found something else.');
    greps.push(grep);
  }
  const { written } = await ask('write');
  await sleep();
  const plain = await ask('plain-steps');
  await sleep();
  const stepped = await ask('steps');
  const wakeMs: number[] = [];
  for (let round = 0; round < sleeps; round += 1) {
    await sleep();
    wakeMs.push((await ask('wake')).ms);
  }
  return {
    restKb,
    hour,
    questionsPerMs,
    openMs: median(openMs),
    firstGrep,
    grep: {
      ms: median(greps.map(({ ms }) => ms)),
      rows: median(greps.map(({ rows }) => rows)),
      written: median(greps.map((grep) => grep.written)),
    },
    writeRows: written,
    wakeMs: median(wakeMs),
    stepOverheadMs: (stepped.ms - plain.ms) / Number(stepped.output),
  };
}

/** The median of kinds of cells: how often the engine asks in a millisecond of the processor. */
async function measureQuestions(ask: (path: string) => Promise<Answer>): Promise<number> {
  const busy = () => listServers().reduce((sum, pid) => sum + readProcessorMs(pid), 0);
  const rates: number[] = [];
  for (const kind of cellKinds) {
    const before = busy();
    const { output } = await ask(`compute/${kind}`);
    rates.push(Number(output) / (busy() - before));
  }
  return median(rates);
}

function gzippedKb(parts: readonly (string | Uint8Array)[]): number {
  return parts.reduce((sum, part) => sum + gzipSync(part).length, 0) / 1024;
}
