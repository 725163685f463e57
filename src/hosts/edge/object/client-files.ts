// The files of a session as its clients write them without a turn. The session stays open
// meanwhile, and their bytes are counted for the owner's quota before they are stored. Used by
// create-session-object.ts.
import type { ChangeSet } from '../../../core/change-set.ts';
import type { ServedFiles } from '../../../wire/feed-client.ts';

/** What the object adds. */
export interface ClientFilesPorts {
  /** The session stays open until it is disposed. */
  hold(): Disposable;
  /**
   * Asked with the bytes that come, those of commits under way among them. A rejection refuses the
   * commit. Left out: nobody counts the bytes.
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
        // Who only removes makes room.
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
