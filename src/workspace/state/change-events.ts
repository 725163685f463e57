// Turns a feed source's records and jumps into the change events that hosts and watchers see.
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

/** What an event changes in the views of a root, with the paths that they have there. */
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
  // Sessions come and go by events of `main`, in all views.
  return changed === 'main' ? changes.filter(({ path }) => isSessionPath(path)) : [];
}
