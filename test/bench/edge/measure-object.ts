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
import { measureHour, measureRest } from './measure-hour.ts';
import type { MeasuredHour } from './measure-hour.ts';
import { listServers, measureStartup, readProcessorMs } from './measure-startup.ts';
import { cellKinds, modelKinds, searchKinds } from './work-kinds.ts';

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
  readonly firstWriteRows: number;
  readonly wakeMs: number;
  readonly stepOverheadMs: number;
  readonly uploadKb: number;
  readonly wholeUploadKb: number;
  readonly startupMs: number;
  readonly restKb: number;
  readonly hour: MeasuredHour;
  readonly counts: MeasuredCounts;
}

/** How often that is counted in a millisecond of the processor by which an isolate knows how long it has computed. */
export interface MeasuredCounts {
  readonly questions: Rates;
  readonly checks: Rates;
  readonly characters: Rates;
}

/** By kind of work: the median, and the ends. */
export interface Rates {
  readonly median: number;
  readonly least: number;
  readonly most: number;
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

type Ask = (path: string) => Promise<Answer>;

type Uploaded = 'uploadKb' | 'wholeUploadKb' | 'startupMs';

async function measure(server: Miniflare): Promise<Omit<MeasuredObject, Uploaded>> {
  const ask: Ask = async (path) => {
    const begun = performance.now();
    const response = await server.dispatchFetch(`http://bench/${path}`);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    const { read, ...answer } = JSON.parse(text) as Answer & { readonly read: number };
    return { ...answer, rows: read, ms: performance.now() - begun };
  };
  const sleep = () => ask('sleep').catch(() => undefined);

  const restKb = await measureRest(server, ask);
  const counts = await measureCounts(ask);
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
  await sleep();
  const { written: firstWritten } = await ask('write');
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
    counts,
    openMs: median(openMs),
    firstGrep,
    grep: {
      ms: median(greps.map(({ ms }) => ms)),
      rows: median(greps.map(({ rows }) => rows)),
      written: median(greps.map((grep) => grep.written)),
    },
    writeRows: written,
    firstWriteRows: firstWritten,
    wakeMs: median(wakeMs),
    stepOverheadMs: (stepped.ms - plain.ms) / Number(stepped.output),
  };
}

/** Each kind once, so that what it compiles counts as little as it does in use. */
async function measureCounts(ask: Ask): Promise<MeasuredCounts> {
  const busy = () => listServers().reduce((sum, pid) => sum + readProcessorMs(pid), 0);
  const measureKinds = async (what: string, kinds: readonly string[]): Promise<Rates> => {
    const rates: number[] = [];
    for (const kind of kinds) {
      await ask(`${what}-ready/${kind}`);
      const before = busy();
      const { output } = await ask(`${what}/${kind}`);
      const ms = busy() - before;
      console.error(`bench: ${what} ${kind} ${Number(output)} in ${ms.toFixed(0)} ms`);
      rates.push(Number(output) / ms);
    }
    return { median: median(rates), least: Math.min(...rates), most: Math.max(...rates) };
  };
  return {
    questions: await measureKinds('compute', cellKinds),
    checks: await measureKinds('search', searchKinds),
    characters: await measureKinds('model', modelKinds),
  };
}

function gzippedKb(parts: readonly (string | Uint8Array)[]): number {
  return parts.reduce((sum, part) => sum + gzipSync(part).length, 0) / 1024;
}
