// What the bench's bundle takes of a workerd's processor until it answers, beside a Worker that does nothing.
import { readdirSync, readFileSync } from 'node:fs';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { median } from '../workspace/statistics.ts';

interface Module {
  readonly type: 'ESModule' | 'CompiledWasm';
  readonly path: string;
  readonly contents: string | Uint8Array<ArrayBuffer>;
}

const rounds = 5;

const nothing: Module = {
  type: 'ESModule',
  path: 'nothing.js',
  contents: `import { DurableObject } from 'cloudflare:workers';
    export class BenchObject extends DurableObject { fetch() { return new Response('{}'); } }
    export default { fetch: (request, { OBJECTS }) => OBJECTS.getByName('bench').fetch(request) };`,
};

/** In milliseconds of processor time, so that what else runs on the machine doesn't count. */
export async function measureStartup(modules: readonly Module[]): Promise<number> {
  const ours: number[] = [];
  const others: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    others.push(await startOne([nothing]));
    ours.push(await startOne(modules));
  }
  return median(ours) - median(others);
}

async function startOne(modules: readonly Module[]): Promise<number> {
  const before = new Set(listServers());
  const server = new Miniflare(
    convertV4MiniflareOptions({
      workers: [
        {
          name: 'bench',
          modules: [...modules],
          compatibilityDate: '2026-10-15',
          durableObjects: { OBJECTS: { className: 'BenchObject', useSQLite: true } },
        },
      ],
      cf: false,
    }),
  );
  try {
    await server.ready;
    await (await server.dispatchFetch('http://bench/nothing')).text();
    const pids = listServers().filter((pid) => !before.has(pid));
    return pids.reduce((sum, pid) => sum + readProcessorMs(pid), 0);
  } finally {
    await server.dispose();
  }
}

/** Those of workerd that this process has started. */
export function listServers(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const [name = '', rest = ''] = stat.split(') ');
        return name.includes('(workerd') && Number(rest.split(' ')[1]) === process.pid;
      } catch {
        return false;
      }
    });
}

/** Of all threads. */
export function readProcessorMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.reduce((sum, thread) => {
    const [busy] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    return sum + Number(busy);
  }, 0);
  return nanoseconds / 1e6;
}
