// `watch`: changes as an async iterator. Each file system has its own source: a draft's view
// reports its own writes, the workspace every acknowledged commit.
import { createAbortError, throwIfAborted } from '../../core/async/abort.ts';
import { basename, isInside } from '../../core/path.ts';
import { diffTrees } from '../tree/diff-trees.ts';
import type { AccessGate } from './access.ts';
import { checkNameEncoding, refuseOptions } from './file-arguments.ts';
import type { WatchEvent, WatchOptions } from './file-options.ts';
import type { FileSystem } from './file-system.ts';
import type { FileScope } from './read-operations.ts';

/** The change of one path. A directory's deletion includes everything below it. */
export interface WatchedChange {
  readonly path: string;
  readonly type: 'create' | 'update' | 'delete';
}

/** Calls the listener for each batch of changes, in order, until it is disposed. */
export interface WatchSource {
  listen(listener: (changes: readonly WatchedChange[]) => void): Disposable;
}

/**
 * As in Node, it starts to listen at the first `next()`, which rejects if the path doesn't exist.
 * Events are queued until they are taken. An event that is already queued isn't queued again, so
 * the queue is limited by the number of changed paths.
 */
export async function* watchPath(
  fs: Pick<FileSystem, 'realpath' | 'lstat'>,
  source: WatchSource,
  path: string,
  options: WatchOptions = {},
): AsyncGenerator<WatchEvent, undefined, undefined> {
  const call = { syscall: 'watch', path };
  const { recursive = false, signal } = options;
  checkNameEncoding(options, call);
  const instead = 'what waits is bounded by the paths that changed';
  refuseOptions(options, { maxQueue: instead, overflow: instead, ignore: 'filter by name' }, call);
  throwIfAborted(signal);
  const unsorted: WatchedChange[] = [];
  let wake = () => {};
  // Before the path is looked up, so that a change during the lookup isn't missed.
  const listening = source.listen((changes) => {
    for (const change of changes) unsorted.push(change);
    wake();
  });
  const stop = () => wake();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const root = await fs.realpath(path);
    const isDirectory = (await fs.lstat(root)).isDirectory();
    const waiting = new Map<string, WatchEvent>();
    for (;;) {
      if (signal?.aborted) throw createAbortError(signal.reason);
      for (const change of unsorted.splice(0)) {
        const event = toEvent(change, root, isDirectory, recursive);
        if (event) waiting.set(`${event.eventType} ${event.filename}`, event);
      }
      const [first] = waiting;
      if (first) {
        waiting.delete(first[0]);
        yield first[1];
      } else {
        await new Promise<void>((resolve) => (wake = resolve));
      }
    }
  } finally {
    listening[Symbol.dispose]();
    signal?.removeEventListener('abort', stop);
  }
}

/** Returns undefined for a change that the watcher must not see. */
function toEvent(
  { path, type }: WatchedChange,
  root: string,
  isDirectory: boolean,
  recursive: boolean,
): WatchEvent | undefined {
  const eventType = type === 'update' ? 'change' : 'rename';
  const isGone = type === 'delete' && isInside(path, root);
  if (isGone || path === root) return { eventType, filename: basename(root) };
  if (!isDirectory || !isInside(root, path)) return undefined;
  const filename = path.slice(root === '/' ? 1 : root.length + 1);
  return recursive || !filename.includes('/') ? { eventType, filename } : undefined;
}

/** The scope with a draft that reports its changes, and the source of the reports. */
export interface WatchedScope {
  readonly scope: FileScope;
  readonly source: WatchSource;
}

/**
 * Reports what is put through the scope, once in each microtask, without paths that the view may
 * not know of. A rollback of the draft itself becomes visible with the next change.
 */
export function watchScope(unwatched: FileScope): WatchedScope {
  const { draft, gate } = unwatched;
  const listeners = new Set<(changes: readonly WatchedChange[]) => void>();
  let told = draft.root;
  let isTelling = false;
  const tell = () => {
    isTelling = false;
    const before = told;
    told = draft.root;
    const changes = differences(before, told, gate);
    if (changes.length > 0) for (const listener of [...listeners]) listener(changes);
  };
  const changed = () => {
    if (isTelling || listeners.size === 0) return;
    isTelling = true;
    queueMicrotask(tell);
  };
  const watched: FileScope['draft'] = {
    get root() {
      return draft.root;
    },
    base: draft.base,
    versionOf: (path) => draft.versionOf(path),
    put(path, node) {
      draft.put(path, node);
      changed();
    },
    reset(root) {
      draft.reset(root);
      changed();
    },
  };
  return {
    scope: { ...unwatched, draft: watched },
    source: {
      listen(listener) {
        if (listeners.size === 0) told = draft.root;
        listeners.add(listener);
        return { [Symbol.dispose]: () => void listeners.delete(listener) };
      },
    },
  };
}

function differences(
  before: FileScope['draft']['root'],
  after: FileScope['draft']['root'],
  gate: AccessGate,
): WatchedChange[] {
  const changes: WatchedChange[] = [];
  diffTrees(before, after, ({ path, before: old, after: fresh }) => {
    // Security: a name is reported only to a view that may list it.
    if (gate.isAbsent(path)) return;
    if (old && fresh && old.kind === fresh.kind) changes.push({ path, type: 'update' });
    else {
      if (old) changes.push({ path, type: 'delete' });
      if (fresh) changes.push({ path, type: 'create' });
    }
  });
  return changes;
}
