// Tries each limit of production-limits.ts in a Worker, and what ends by counts where clocks stand still.
import wasm from 'quickjs-wasi/quickjs.wasm';
import { createEdgeHost } from '../../src/edge.ts';
import type { ObjectStorage } from '../../src/edge.ts';
import { requestOf } from './work-request.ts';

/** By limit, what became of who went over it. */
export async function probeLimits(
  storage: ObjectStorage,
  fetchOutside: (path: string) => Promise<void>,
): Promise<Record<string, unknown>> {
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
    connections: await most(() => all(Array.from({ length: 7 }, () => fetchOutside('x')))),
    subrequests: await most(async () => {
      for (let at = 0; at < 51; at += 1) await fetchOutside('x');
    }),
    cell: await runCut('Repl', { code: 'for (;;);' }),
    search: await runCut('Grep', { pattern: 'x(a+b?)+c' }),
  };
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
