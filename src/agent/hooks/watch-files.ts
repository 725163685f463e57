// Which files FileChanged hooks hear of, and in which order. Used by create-hooks.ts for a query that has such hooks.
import { isInside, joinPath } from '../../core/path.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { SessionRoot } from '../session/files/session-root.ts';
import type { HookFields } from './hook-inputs.ts';
import type { HooksOption } from './hooks.ts';

/** The files that are watched, until the signal is aborted. */
export interface WatchedFiles {
  /** Takes the place of the paths that hooks have given before. What a matcher names stays watched. */
  replace(paths: readonly string[]): void;
}

interface WatchOptions {
  /** From the working directory of the moment. */
  readonly names: readonly string[];
  readonly cwd: () => string;
  /** Called for one change after the other. Must not reject. */
  readonly tell: (change: Change) => Promise<unknown> | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** In an object: until it is disposed the session isn't let go. */
  readonly work: () => Disposable | undefined;
}

type Change = HookFields<'FileChanged'>;

// A hook that changes what it watches is told of that, too: without a pause it would leave the page no time at all.
const firstPauseMs = 100;
const longestPauseMs = 10_000;

/** The names of files in the hooks' matchers. */
export function listWatchedNames(hooks: HooksOption): readonly string[] {
  const matchers = (hooks.FileChanged ?? []).map(({ matcher = '' }) => matcher.split('|'));
  return matchers.flat().filter(Boolean);
}

const events = { create: 'add', update: 'change', delete: 'unlink' } as const;

/**
 * Watches files of the tree, whoever changes them: the agent, a person, another session. What changes while hooks hear
 * of earlier changes is told after a pause, which doubles until nothing has changed meanwhile.
 */
export function watchFiles(
  watch: SessionRoot['watch'],
  { names, cwd, tell, clock, signal, work }: WatchOptions,
): WatchedFiles {
  let watched: readonly string[] = [];
  let isTelling = false;
  const waiting: Change[] = [];
  /** By path, of those that wait. */
  const newest = new Map<string, Change['event']>();
  const isWatched = (path: string) =>
    names.some((name) => joinPath(cwd(), name) === path) ||
    watched.some((one) => isInside(one, path));

  function hear(change: Change): void {
    const { file_path, event } = change;
    // The hook that hears of the first one finds the file as it is by then.
    if (newest.get(file_path) === event) return;
    newest.set(file_path, event);
    waiting.push(change);
    if (!isTelling) void tellAll();
  }

  /** Never rejects. */
  async function tellAll(): Promise<void> {
    isTelling = true;
    const working = work();
    // The other changes of the same commit come first.
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

/** Ends early with the signal. */
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
