// A workspace whose medium freezes after an entry of one stream, as if its page were killed there.
// A new writer can open the underlying medium and continue.
import { createDeferred } from '../../../src/core/async/deferred.ts';
import type { LogMedium } from '../../../src/workspace/log/log-medium.ts';
import { openWorkspace } from '../../../src/workspace/open-workspace.ts';
import type { StreamAppend } from '../../../src/workspace/streams.ts';
import type { ViewSource } from '../../../src/workspace/draft/view.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';
import { withFreeze } from './freezing-medium.ts';

/** Its page owns it, and doesn't dispose it. */
export interface FreezingWorkspace {
  readonly workspace: Workspace & ViewSource;
  /** Resolves when it is frozen. */
  readonly frozen: Promise<void>;
  /** The entries after which it could have frozen. */
  readonly boundaries: readonly number[];
}

/** A new promise for each caller, because one that is never settled would keep all of its callers in memory. */
const never = () => new Promise<never>(() => undefined);

/**
 * `after`: the number of the last entry of the stream that is written. `isAtOnce`: nothing after it is written.
 * Otherwise writes without an entry still are, up to the next entry.
 */
export async function openFreezing(
  medium: LogMedium,
  stream: string,
  after = Infinity,
  isAtOnce = false,
): Promise<FreezingWorkspace> {
  let isClosed = false;
  let isFrozen = false;
  const { promise: frozen, resolve: tellFrozen } = createDeferred();
  const landing = new Set<Promise<unknown>>();
  const boundaries: number[] = [];

  async function freeze(): Promise<never> {
    isClosed = true;
    await Promise.allSettled(landing);
    isFrozen = true;
    tellFrozen();
    return never();
  }

  /** Once a write would go beyond the last entry, nothing is written any more. */
  async function land<Result>(append: StreamAppend | undefined, write: () => Promise<Result>) {
    if (isClosed) return never();
    const end = append?.stream === stream ? append.at + append.entries.length : undefined;
    if (end !== undefined && end > after) return freeze();
    const writing = write();
    landing.add(writing);
    const result = await writing.finally(() => landing.delete(writing));
    if (end !== undefined) boundaries.push(end);
    if (end === after && isAtOnce) return freeze();
    return result;
  }

  const whole = await openWorkspace(
    withFreeze(medium, () => isFrozen),
    { name: 'kept' },
  );
  const { commit, roots, streams } = whole;
  const withAppend =
    <Subject, Options extends { readonly append?: StreamAppend }, Result>(
      write: (subject: Subject, options: Options) => Promise<Result>,
    ) =>
    (subject: Subject, options: Options) =>
      land(options.append, () => write(subject, options));
  const workspace: Workspace & ViewSource = {
    ...whole,
    commit: withAppend(commit.bind(whole)),
    roots: {
      ...roots,
      checkpoint: withAppend(roots.checkpoint),
      rewind: withAppend(roots.rewind),
      branch: withAppend(roots.branch),
      merge: withAppend(roots.merge),
      drop: withAppend(roots.drop),
    },
    streams: {
      ...streams,
      append: (...[id, entries, options]: Parameters<typeof streams.append>) =>
        land({ stream: id, at: options.at, entries } as StreamAppend, () =>
          streams.append(id, entries, options),
        ),
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return { workspace, frozen, boundaries };
}
