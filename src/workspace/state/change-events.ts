// Converts the records and jumps of a feed source to the change events for hosts and watchers.
import { joinPath } from '../../core/path.ts';
import {
  isSessionPath,
  sessionOfRoot,
  toSessionDirectory,
} from '../../core/session/session-path.ts';
import type { FeedSource } from '../feed/serve-feed.ts';
import type { ChangeEvent, PathChange } from '../workspace.ts';

/** Calls the listener for each event, in order, until it is disposed. */
export function onChangeEvent(
  source: FeedSource,
  listener: (event: ChangeEvent) => void,
): Disposable {
  const records = source.onRecord(({ event }) => listener(event));
  const jumps = source.onJump?.((events) => {
    for (const event of events) listener(event);
  });
  return {
    [Symbol.dispose]() {
      records[Symbol.dispose]();
      jumps?.[Symbol.dispose]();
    },
  };
}

/** Returns what an event changes in views of a root, with the paths in those views. */
export function toShownChanges(
  { root: changed, changes }: Pick<ChangeEvent, 'root' | 'changes'>,
  root: string,
): readonly PathChange[] {
  if (changed === root) return changes;
  if (sessionOfRoot(root) !== undefined) return [];
  const session = sessionOfRoot(changed);
  if (session !== undefined) {
    const directory = toSessionDirectory(session);
    return changes.map((change) => ({ ...change, path: joinPath(directory, change.path) }));
  }
  // Sessions are created and removed by events of `main`, and are visible in all views.
  return changed === 'main' ? changes.filter(({ path }) => isSessionPath(path)) : [];
}
