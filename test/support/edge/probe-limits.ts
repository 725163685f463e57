// Tries each limit of production-limits.ts in a Worker, and what ends by counts where clocks stand still.
import wasm from 'quickjs-wasi/quickjs.wasm';
import { createEdgeHost } from '../../../src/edge.ts';
import type { ContentsBucket, ObjectStorage } from '../../../src/edge.ts';
import { requestOf } from '../stages/work-request.ts';

/** An object with limits, and what is asked of it. */
export interface ProbedObject {
  readonly storage: ObjectStorage;
  readonly bucket: ContentsBucket;
  /** Counts subrequests anew. */
  begin(): void;
  fetchOutside(path: string): Promise<void>;
  /** By RPC. */
  callOther(bytes: Uint8Array): Promise<unknown>;
}

/** By limit, what became of who went over it. */
export async function probeLimits(object: ProbedObject): Promise<Record<string, unknown>> {
  const { storage, fetchOutside, callOther } = object;
  const begun = [Date.now(), performance.now(), new Date().getTime()];
  let sum = 0;
  for (let at = 0; at < 5_000_000; at += 1) sum += at;
  const moved = [Date.now(), performance.now(), new Date().getTime()].map(
    (time, at) => time - (begun[at] ?? 0),
  );
  const bound = Array.from({ length: 101 }, () => 1);
  const marks = bound.map(() => '?').join();
  return {
    sum: sum > 0,
    moved,
    bound: tryTo(() => storage.sql.exec(`SELECT ${marks}`, ...bound)),
    row: tryTo(() => storage.sql.exec('SELECT ?', new Uint8Array(2_000_001))),
    // By its bytes: it has half as many characters.
    text: tryTo(() => storage.sql.exec('SELECT ?', 'ä'.repeat(1_000_001))),
    rows: tryRows(storage),
    rpc: await most(() => callOther(new Uint8Array(32 * 1024 * 1024))),
    connections: await most(() => all(Array.from({ length: 7 }, () => fetchOutside('x')))),
    subrequests: await most(async () => {
      for (let at = 0; at < 51; at += 1) await fetchOutside('x');
    }),
    bucket: await most(() => writeAndSearch(object)),
    cell: await runCut('Repl', { code: 'for (;;);' }),
    search: await runCut('Grep', { pattern: 'x(a+b?)+c' }),
  };
}

/** 20 large files at once, searched and read by a cell: within the limits of one event. */
async function writeAndSearch({ storage, bucket, begin }: ProbedObject): Promise<void> {
  begin();
  const contents = { bucket, prefix: 'probe/', minBytes: 65_536, cacheBytes: 0 };
  const host = await createEdgeHost({ wasm, storage, contents });
  const names = Array.from({ length: 20 }, (_, at) => `${at}.txt`);
  await Promise.all(
    names.map((name) =>
      host.workspace.fs.writeFile(`/workspace/${name}`, `of ${name} `.repeat(8_000)),
    ),
  );
  const ask = async (tool: string, input: object) => {
    const address = { root: 'main', minSeq: host.workspace.seq() };
    const request = { ...requestOf(tool, input), address, cwd: '/workspace' };
    const { reply } = host.executor.start(
      {
        ...request,
        limits: { ...request.limits, ...host.limits, timeoutMs: 10_000, maxOutputChars: 1_000 },
      },
      () => {},
    );
    const answer = await reply;
    return answer.type === 'done' ? JSON.stringify(answer.output) : JSON.stringify(answer);
  };
  const found = await ask('Grep', { pattern: 'of 7.txt', output_mode: 'files_with_matches' });
  const code = "require('node:fs').readFileSync('/workspace/7.txt', 'utf8').slice(0, 9)";
  const read = await ask('Repl', { code });
  await host[Symbol.asyncDispose]();
  if (!found.includes('7.txt') || !read.includes('of 7.txt')) throw new Error(`${found} ${read}`);
}

/** By their sum: each value alone would do. */
function tryRows({ sql }: ObjectStorage): readonly string[] {
  sql.exec('CREATE TABLE IF NOT EXISTS probed (one INTEGER PRIMARY KEY, text TEXT, bytes BLOB)');
  const half = new Uint8Array(999_990);
  const insert = 'INSERT OR REPLACE INTO probed VALUES (1, ?, ?)';
  return [
    tryTo(() => sql.exec(insert, 'x'.repeat(1_000_000), half)),
    tryTo(() => sql.exec(insert, 'ä'.repeat(500_010), half)),
    tryTo(() => sql.exec('UPDATE probed SET text = text || ?', 'x'.repeat(9))),
    tryTo(() => sql.exec('UPDATE probed SET text = text || ?', 'x')),
    tryTo(() => sql.exec('INSERT INTO probed SELECT 2, text || bytes, bytes FROM probed')),
  ];
}

function tryTo(work: () => unknown): string {
  try {
    work();
    return 'done';
  } catch (error) {
    return (error as Error).message;
  }
}

const most = (work: () => Promise<unknown>): Promise<string> =>
  work().then(
    () => 'done',
    (error: Error) => error.message,
  );

/** Rejects as one of them, once all have ended. */
async function all(works: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(works);
  await Promise.all(works);
}

/** A call that computes for long, with a limit of 0.2 s. */
async function runCut(tool: string, input: object): Promise<string> {
  // A check counts for a second: there are few of them, however long the text.
  const host = await createEdgeHost({ wasm, checksPerMs: 0.001 });
  const text = 'ab'.repeat(9);
  await host.workspace.fs.writeFile('/workspace/long.txt', text);
  const request = requestOf(tool, input);
  const { reply } = host.executor.start(
    { ...request, limits: { ...request.limits, ...host.limits, timeoutMs: 200 } },
    () => {},
  );
  const answer = await reply;
  await host[Symbol.asyncDispose]();
  if (answer.type === 'failed') return answer.error.message;
  return answer.type === 'done' ? JSON.stringify(answer.output) : answer.type;
}
