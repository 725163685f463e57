// The files of a remote session, kept in sync. Reads are local; writes are commits that are sent to
// the session. Loaded when a client first asks for the files. Used by connect-session.ts.
import { createDeferred } from '../core/async/deferred.ts';
import { surface } from '../core/async/surface.ts';
import type { ChangeSet } from '../core/change-set.ts';
import { SdkError, fromSerializedError } from '../core/errors.ts';
import { createViewlessWorkspace } from '../workspace/commit/viewless-workspace.ts';
import type { WriterPort } from '../workspace/commit/writer-port.ts';
import type { FeedMessage } from '../workspace/feed/feed.ts';
import { PackedContents } from '../workspace/feed/packed-contents.ts';
import { fromPlainState } from '../workspace/state/plain-state.ts';
import { applyRecord, mainRootId, rootOf } from '../workspace/state/state.ts';
import { toPathChanges } from '../workspace/state/record.ts';
import { SharedState } from '../workspace/tabs/shared-state.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { ToClient } from './protocol.ts';

/**
 * A workspace that follows a remote one. Reads use the local copy, which contains a write when it
 * resolves. Only an `owner` may write, and only to `main`.
 */
export type FollowedFiles = Pick<
  Workspace,
  'fs' | 'versions' | 'lookUp' | 'seq' | 'commit' | 'onChange' | 'treeHash'
>;

export interface FollowPorts {
  /** Requests a snapshot and the records after it. */
  follow(): void;
  /** Resolves when the commit is done and its record has arrived. */
  commit(changeSet: ChangeSet): Promise<unknown>;
  /** Called when the files aren't followed any more. */
  onEnd(): void;
}

export interface FollowedFilesFeed {
  /** Resolves with the first snapshot. */
  readonly opened: Promise<FollowedFiles>;
  receive(message: ToClient): void;
}

// 64 MB of records. Most of their contents are overwritten by then; a snapshot has only the current
// ones.
const maxRecordBytes = 67_108_864;

/** Requests the files at once. */
export function createFollowedFiles({ follow, commit, onEnd }: FollowPorts): FollowedFilesFeed {
  let contents = new PackedContents();
  let recordBytes = 0;
  let isAsking = true;
  let failed: SdkError | undefined;
  const opened = createDeferred<FollowedFiles>();
  // The caller that opens the files waits for this promise. Later, errors are reported by its
  // method calls.
  opened.promise.catch(() => undefined);
  // An error in a listener must not end the feed.
  const shared = new SharedState(contents, surface);

  /** The waiters for commits that are done at the server but haven't arrived here. */
  let arrivals: (() => void)[] = [];
  const arrived = () => {
    const waiting = arrivals;
    arrivals = [];
    for (const resolve of waiting) resolve();
  };

  const state = () => {
    if (!shared.state) throw new TypeError('Files are read before they have arrived.');
    return shared.state;
  };
  const refuse = () => Promise.reject(onlyFiles());
  const port: WriterPort = {
    get root() {
      return state().main;
    },
    get state() {
      return state();
    },
    get seq() {
      return state().seq;
    },
    get contents() {
      return shared.contents;
    },
    info: () => ({
      driver: 'wire',
      name: 'wire',
      seq: shared.seq,
      isPersistent: false,
      logBytes: 0,
      droppedBytes: 0,
      lostFiles: [],
    }),
    async commit(changeSet, { root = mainRootId }) {
      if (failed) throw failed;
      if (root !== mainRootId) throw onlyFiles();
      const done = (await commit(changeSet)) as { readonly seq: number };
      // The record of a large commit comes with a snapshot, after the answer.
      while (shared.seq < done.seq && !failed) {
        await new Promise<void>((resolve) => arrivals.push(resolve));
      }
      return done;
    },
    changeRoots: refuse,
    changeStream: refuse,
    onRecord: (listener) => shared.onRecord(listener),
    onJump: (listener) => shared.onJump(listener),
    onStreams: (listener) => shared.onStreams(listener),
    close: async () => undefined,
  };

  function ask(): void {
    if (isAsking) return;
    isAsking = true;
    follow();
  }

  function take(message: FeedMessage): void {
    if (message.type === 'snapshot') {
      isAsking = false;
      contents = new PackedContents();
      for (const segment of message.segments) contents.add(segment);
      contents.addLost(message.lost ?? []);
      recordBytes = 0;
      shared.replace(fromPlainState(message.state), contents);
      opened.resolve(toFiles(port));
      return;
    }
    const { record, segment, isPending } = message;
    if (!shared.state || record.seq <= shared.seq) return;
    // A record was lost, or is too large to be sent alone: a snapshot contains it.
    if (record.seq > shared.seq + 1 || isPending) return ask();
    if (segment) {
      contents.add(segment);
      recordBytes += segment.data instanceof Uint8Array ? segment.data.length : segment.data.size;
    }
    const { seq, author, root = mainRootId } = record;
    const changes = toPathChanges(rootOf(shared.state, root), record);
    const fed = { record, event: { seq, root, author, changes }, contents: segment ?? [] };
    shared.advance(applyRecord(shared.state, record), fed);
    if (recordBytes > maxRecordBytes) ask();
  }

  follow();
  return {
    opened: opened.promise,
    receive(message) {
      if (message.type === 'feed') {
        take(message.message);
        arrived();
      }
      if (message.type !== 'feed-failed') return;
      failed = fromSerializedError(message.error);
      opened.reject(failed);
      arrived();
      onEnd();
    },
  };
}

function toFiles(port: WriterPort): FollowedFiles {
  const { fs, versions, lookUp, seq, commit, onChange, treeHash } = createViewlessWorkspace(port);
  return { fs, versions, lookUp, seq, commit, onChange, treeHash };
}

function onlyFiles(): SdkError {
  return new SdkError(
    'bad-usage',
    'Of a session elsewhere the files of main are read and written; the rest is done by its server.',
  );
}
