// Splits a search of all files into parts, so that idle workers can do some of them. A part is a range of the list of
// files. Each worker gets the same parts each time, so it has their texts cached. The results are joined in order.
import { throwIfAborted } from '../core/async/abort.ts';
import type { WorkContext } from '../core/tool/handler.ts';
import { nextTask } from '../core/async/next-task.ts';
import type { IndexPlans } from './index/index-plan.ts';
import type { FileOrder } from './index/kept-files.ts';
import type { SearchableFileSystem } from './search-service.ts';

/** A range of the files of a search, by their indexes in its list. */
interface FilePart {
  readonly from: number;
  readonly to: number;
}

// 32 MB are searched in about 20 ms. Smaller searches aren't worth the messages to a second thread.
const leastBytes = 33_554_432;

// Divides evenly among two or three workers. An abort is noticed between parts.
const partCount = 6;

// 1 s: a part takes some tens of milliseconds, and decoding its texts a few times that. A slower
// worker is busy with something else by now.
const patienceMs = 1000;

interface PartsOptions<Found> {
  readonly context: Pick<
    WorkContext<SearchableFileSystem>,
    'fs' | 'limits' | 'signal' | 'shareWork'
  >;
  readonly plans: IndexPlans;
  /** Searches this part of the files here. */
  search(part: FileOrder, from: number): Promise<Found>;
}

/**
 * The results of the parts, in order. Rejects as `search` does. Parts in which other workers fail
 * or are late are done here.
 */
export async function searchInParts<Found>(
  order: FileOrder,
  { context, plans, search }: PartsOptions<Found>,
): Promise<Found[]> {
  const { fs, limits, signal, shareWork } = context;
  const isWorthIt = () => fs.search.estimateBytes(order, plans, limits.maxFileBytes) >= leastBytes;
  if (!shareWork || !isWorthIt()) return [await search(order, 0)];
  const parts = toParts(order);
  const found: (Found | undefined)[] = [];
  let takenFrom = parts.length;
  let unanswered = 0;
  let onAnswered = () => {};
  shareWork(parts, {
    onTaken(from) {
      takenFrom = from;
      unanswered = parts.length - from;
    },
    onDone(at, output) {
      // The cast is safe, because our own handler in another worker gives the answer. A late answer isn't used if the
      // part was done here meanwhile.
      found[at] ??= output as Found | undefined;
      unanswered -= 1;
      onAnswered();
    },
  });
  const searchHere = async (from: number, to: () => number): Promise<void> => {
    for (let at = from; at < to(); at += 1) {
      // Replies come as messages, which may take long on a busy machine.
      if (at > 0) await nextTask();
      throwIfAborted(signal);
      const part = parts[at];
      if (part) found[at] ??= await search(order.slice(part.from, part.to), part.from);
    }
  };
  await searchHere(0, () => takenFrom);
  throwIfAborted(signal);
  if (unanswered > 0) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, patienceMs);
      signal.addEventListener('abort', () => resolve(), { once: true });
      onAnswered = () => {
        if (unanswered > 0) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }
  await searchHere(takenFrom, () => parts.length);
  return parts.flatMap((_, at) => found[at] ?? []);
}

/** Makes parts of about equal bytes. */
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
  // Security: untrusted input, but it can only choose among the files that this call sees.
  const { from, to } = Object(part) as FilePart;
  return order.slice(from, to);
}
