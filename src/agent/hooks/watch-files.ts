// Watches the files of FileChanged hooks, and reports changes in order. Used by create-hooks.ts for
// a query with such hooks.
import { isInside, joinPath } from '../../core/path.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { SessionRoot } from '../session/files/session-root.ts';
import type { HookFields } from './hook-inputs.ts';
import type { HooksOption } from './hooks.ts';

/** The watched files, until the signal is aborted. */
export interface WatchedFiles {
  /** Replaces the paths of earlier hooks. Files that a matcher names stay watched. */
  replace(paths: readonly string[]): void;
}

interface WatchOptions {
  /** Relative to the present working directory. */
  readonly names: readonly string[];
  readonly cwd: () => string;
  /** Called for one change after the other. Must not reject. */
  readonly tell: (change: Change) => Promise<unknown> | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Keeps the session's object from being unloaded until the result is disposed. */
  readonly work: () => Disposable | undefined;
}

type Change = HookFields<'FileChanged'>;

// A hook may change a file that it watches, and is then called again. The pause leaves the page
// time for other work.
const firstPauseMs = 100;
const longestPauseMs = 10_000;

/** The file names in the hooks' matchers. */
export function listWatchedNames(hooks: HooksOption): readonly string[] {
  const matchers = (hooks.FileChanged ?? []).map(({ matcher = '' }) => matcher.split('|'));
  return matchers.flat().filter(Boolean);
}

const events = { create: 'add', update: 'change', delete: 'unlink' } as const;

/**
 * Watches files of the tree, whoever changes them: the agent, a person or another session. Changes
 * during a hook's run are reported after a pause, which doubles until there are no more changes.
 */
export function watchFiles(
  watch: SessionRoot['watch'],
  { names, cwd, tell, clock, signal, work }: WatchOptions,
): WatchedFiles {
  let watched: readonly string[] = [];
  let isTelling = false;
  const waiting: Change[] = [];
  /** The newest event of each waiting path. */
  const newest = new Map<string, Change['event']>();
  const isWatched = (path: string) =>
    names.some((name) => joinPath(cwd(), name) === path) ||
    watched.some((one) => isInside(one, path));

  function hear(change: Change): void {
    const { file_path, event } = change;
    // The hook for the first event finds the file in its present state.
    if (newest.get(file_path) === event) return;
    newest.set(file_path, event);
    waiting.push(change);
    if (!isTelling) void tellAll();
  }

  /** Never rejects. */
  async function tellAll(): Promise<void> {
    isTelling = true;
    const working = work();
    // Lets the other changes of the same commit come first.
    await undefined;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      newest.clear();
      for (const change of waiting.splice(0)) if (!signal.aborted) await tell(change);
      if (waiting.length === 0 || signal.aborted) break;
      await pause(pauseMs, clock, signal);
    }
    isTelling = false;
    working?.[Symbol.dispose]();
  }

  if (!signal.aborted) {
    const watching = watch(({ changes }) => {
      for (const { path, type, kind } of changes) {
        if (kind !== 'directory' && isWatched(path)) {
          hear({ file_path: path, event: events[type] });
        }
      }
    });
    signal.addEventListener('abort', () => watching[Symbol.dispose](), { once: true });
  }
  return { replace: (paths) => void (watched = paths) };
}

/** Resolves early if the signal is aborted. */
function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      timer[Symbol.dispose]();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.after(ms, end);
    signal.addEventListener('abort', end, { once: true });
  });
}
