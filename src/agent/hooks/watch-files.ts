// Which files FileChanged hooks hear of, and in which order. Used by create-hooks.ts for a query that has such hooks.
import { createSerialQueue } from '../../core/async/serial-queue.ts';
import { isInside, joinPath } from '../../core/path.ts';
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
  readonly tell: (change: HookFields<'FileChanged'>) => Promise<unknown> | undefined;
  readonly signal: AbortSignal;
}

/** The names of files in the hooks' matchers. */
export function listWatchedNames(hooks: HooksOption): readonly string[] {
  const matchers = (hooks.FileChanged ?? []).map(({ matcher = '' }) => matcher.split('|'));
  return matchers.flat().filter(Boolean);
}

const events = { create: 'add', update: 'change', delete: 'unlink' } as const;

/** Watches files of the tree, whoever changes them: the agent, a person, another session. */
export function watchFiles(
  watch: SessionRoot['watch'],
  { names, cwd, tell, signal }: WatchOptions,
): WatchedFiles {
  let watched: readonly string[] = [];
  const inTurn = createSerialQueue();
  const isWatched = (path: string) =>
    names.some((name) => joinPath(cwd(), name) === path) ||
    watched.some((one) => isInside(one, path));
  if (!signal.aborted) {
    const watching = watch(({ changes }) => {
      for (const { path, type, kind } of changes) {
        if (kind === 'directory' || !isWatched(path)) continue;
        void inTurn(() => tell({ file_path: path, event: events[type] }));
      }
    });
    signal.addEventListener('abort', () => watching[Symbol.dispose](), { once: true });
  }
  return { replace: (paths) => void (watched = paths) };
}
