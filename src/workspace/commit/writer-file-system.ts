// `Workspace.fs` and `Workspace.at`: each operation is a draft that is committed at once as the
// user's. Hosts, editors and importers use it. Calls and nested calls have views of their own
// (draft-view.ts).
import { hasCode } from '../../core/errors.ts';
import { onChangeEvent, toShownChanges } from '../state/change-events.ts';
import { Draft } from '../draft/draft.ts';
import { openGate } from '../files/access.ts';
import { openFileHandle } from '../files/file-handle.ts';
import { createFileFace } from '../files/file-operations.ts';
import type { FileSystem } from '../files/file-system.ts';
import { performOperation, type FileGround } from '../files/local-operations.ts';
import { watchPath } from '../files/watch-path.ts';
import type { WatchSource } from '../files/watch-path.ts';
import { shownRootOf } from '../state/session-roots.ts';
import type { WriterPort } from './writer-port.ts';

// 20: an operation has no base version, so after a conflict it is repeated on the new state. Only a
// constant stream of commits to the same path can use up all tries.
const maxTries = 20;

/**
 * Operations that had a conflict are repeated one after the other, so that each succeeds
 * eventually.
 */
const turns = new WeakMap<WriterPort, Promise<unknown>>();

/**
 * Relative paths start at `/`. No rules apply: whoever has this interface may do everything. `root`
 * is the id of the tree; if it isn't set, every operation rejects with `invalid-input`.
 * `beforeCommit` gets the operation's result just before its changes are committed.
 */
export function createWriterFileSystem(
  writer: WriterPort,
  root: string,
  beforeCommit: (result: unknown) => void = () => {},
): FileSystem {
  type Operate = (ground: FileGround) => Promise<unknown>;

  async function run(operate: Operate): Promise<unknown> {
    try {
      return await runOnce(operate);
    } catch (error) {
      if (!hasCode(error, 'ECONFLICT')) throw error;
    }
    const turn = (turns.get(writer) ?? Promise.resolve()).then(() => runAgain(operate));
    turns.set(
      writer,
      turn.catch(() => {}),
    );
    return turn;
  }

  async function runAgain(operate: Operate): Promise<unknown> {
    for (let attempt = 2; ; attempt += 1) {
      try {
        return await runOnce(operate);
      } catch (error) {
        if (!hasCode(error, 'ECONFLICT') || attempt === maxTries) throw error;
      }
    }
  }

  async function runOnce(operate: Operate): Promise<unknown> {
    const draft = new Draft(shownRootOf(writer.state, root), writer.seq);
    const { maxFileBytes } = writer;
    const limit = maxFileBytes === undefined ? {} : { maxFileBytes };
    const scope = { draft, cwd: '/', gate: openGate, now: Date.now, ...limit };
    const result = await operate({ scope, contents: writer.contents });
    // Compact, because no rules apply here, and removing a large directory stays fast.
    const compact = draft.compactChangeSet();
    // A move is listed file by file, so that a file that was removed meanwhile doesn't reappear at
    // the new place.
    const isRemoval = compact?.changes.every(({ type }) => type === 'remove');
    const changeSet = isRemoval ? compact : draft.changeSet();
    if (!changeSet) return result;
    beforeCommit(result);
    await writer.commit(changeSet, { author: { kind: 'user' }, root });
    return result;
  }

  // Reports every acknowledged commit to the root, and to the sessions that it shows.
  const source: WatchSource = {
    listen: (listener) =>
      onChangeEvent(writer, (event) => {
        const changes = toShownChanges(event, root);
        if (changes.length > 0) listener(changes);
      }),
  };

  const face: FileSystem = {
    ...createFileFace((operation, parameters) =>
      run((ground) => performOperation(ground, operation, parameters)),
    ),
    open: (path, flags, mode) => openFileHandle(face, path, flags, mode),
    watch: (path, option) => watchPath(face, source, path, option),
  };
  return face;
}
