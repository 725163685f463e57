// A search of all files in parts, some of which other workers do, if any have nothing else to do. Each
// part is a stretch of the list of files, always the same one: so each worker keeps texts of its own part
// of the workspace, and what was found only has to be put together in order.
import { throwIfAborted } from '../../core/abort.ts';
import type { WorkContext } from '../../core/handler.ts';
import type { LocalFileSystem } from '../files/file-system.ts';
import { nextTask } from '../next-task.ts';
import type { IndexPlans } from './index-plan.ts';
import type { FileOrder } from './kept-files.ts';

/** A stretch of the files that a search goes through: their places in its list. */
interface FilePart {
  readonly from: number;
  readonly to: number;
}

// 32 MB are searched in about 20 ms. For less it isn't worth the messages, and waking a second thread.
const leastBytes = 33_554_432;

// Three for each of two workers: who is done first has at most a sixth left to do, and what each part
// costs beside its texts is small.
const partCount = 6;

// So long an abort isn't heard.
const deafMs = 10;

interface PartsOptions<Found> {
  readonly context: Pick<WorkContext<LocalFileSystem>, 'fs' | 'limits' | 'signal' | 'shareWork'>;
  readonly plans: IndexPlans;
  /** Searches this part of the files here. */
  search(part: FileOrder, from: number): Promise<Found>;
}

/** What was found in each part, in order. Rejects as `search` does, which others' work can't delay. */
export async function searchInParts<Found>(
  order: FileOrder,
  { context, plans, search }: PartsOptions<Found>,
): Promise<Found[]> {
  const { fs, limits, signal, shareWork } = context;
  const isWorthIt = () => fs.search.estimateBytes(order, plans, limits.maxFileBytes) >= leastBytes;
  if (!shareWork || !isWorthIt()) return [await search(order, 0)];
  const parts = toParts(order);
  const found = new Map<number, Found>();
  // The cast: our own handler answers, in another worker.
  shareWork(parts, (at, output) => void found.set(at, output as Found));
  let heardAt = performance.now();
  for (const [at, { from, to }] of parts.entries()) {
    // What others have found comes as messages, and they begin at the end. On a busy machine it takes
    // long to get the thread back.
    if (at * 2 >= parts.length || performance.now() - heardAt > deafMs) {
      await nextTask();
      throwIfAborted(signal);
      heardAt = performance.now();
    }
    if (!found.has(at)) found.set(at, await search(order.slice(from, to), from));
  }
  return parts.flatMap((_, at) => found.get(at) ?? []);
}

/** Of about as many bytes each. */
function toParts({ files }: FileOrder): FilePart[] {
  const enough = files.reduce((sum, { size }) => sum + size, 0) / partCount;
  const parts: FilePart[] = [];
  let from = 0;
  let bytes = 0;
  for (const [at, { size }] of files.entries()) {
    bytes += size;
    if (bytes < enough && at < files.length - 1) continue;
    parts.push({ from, to: at + 1 });
    from = at + 1;
    bytes = 0;
  }
  return parts;
}

/** The files of a part that another worker has offered. */
export function filesOfPart(order: FileOrder, part: unknown): FileOrder {
  // Security: it is a stranger's, but whatever it holds, it chooses among the files that this call sees.
  const { from, to } = Object(part) as FilePart;
  return order.slice(from, to);
}
