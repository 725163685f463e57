// Writes of clients to a session's files outside a turn. The session stays open meanwhile. The
// bytes are checked against the owner's quota before they are stored. Used by
// create-session-object.ts.
import type { ChangeSet } from '../../../core/change-set.ts';
import type { ServedFiles } from '../../../wire/feed-client.ts';

/** The functions that the object provides. */
export interface ClientFilesPorts {
  /** Keeps the session open until the result is disposed. */
  hold(): Disposable;
  /**
   * Called with the bytes to come, including those of running commits. A rejection refuses the
   * commit. Left out: the bytes aren't limited.
   */
  readonly admit?: ((bytes: number) => Promise<void>) | undefined;
}

export function createClientFiles(
  files: ServedFiles,
  { hold, admit }: ClientFilesPorts,
): ServedFiles {
  let coming = 0;
  return {
    get state() {
      return files.state;
    },
    contents: files.contents,
    onRecord: (listener) => files.onRecord(listener),
    ...(files.onJump && { onJump: files.onJump.bind(files) }),
    ...(files.onMoved && { onMoved: files.onMoved.bind(files) }),
    async commit(changeSet, options) {
      const held = hold();
      const bytes = bytesOf(changeSet);
      coming += bytes;
      try {
        // A commit that only removes files needs no room.
        if (changeSet.changes.some(({ type }) => type !== 'remove')) await admit?.(coming);
        return await files.commit(changeSet, options);
      } finally {
        coming -= bytes;
        held[Symbol.dispose]();
      }
    },
  };
}

function bytesOf({ changes }: ChangeSet): number {
  let bytes = 0;
  for (const change of changes) {
    if (change.type === 'write' && change.content instanceof Uint8Array) {
      bytes += change.content.length;
    }
  }
  return bytes;
}
