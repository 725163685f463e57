// Uploads the large contents of commits to the medium's store before the commits are written. Owned
// by the writer.
import type { ChangeSet } from '../../core/change-set.ts';
import type { ContentStore } from '../log/content-store.ts';
import type { PendingCommit } from './plan-group.ts';
import type { ValidStreamRequest } from './validate-stream.ts';

type AskedCommit = Pick<PendingCommit, 'changeSet' | 'stream'>;

/** Identifies contents by their buffers, from the request until the commit is written. */
export class StoredContents {
  readonly #store: ContentStore;
  readonly #puts = new WeakMap<Uint8Array, Promise<string>>();
  readonly #names = new WeakMap<Uint8Array, string>();

  constructor(store: ContentStore) {
    this.#store = store;
  }

  /** Returns the commit with its own copies of large contents, and starts to upload them. */
  begin<Commit extends AskedCommit>(commit: Commit): Commit {
    if (this.#largeOf(commit).length === 0) return commit;
    const { changeSet, stream } = commit;
    const own = {
      ...commit,
      changeSet: this.#withCopies(changeSet),
      ...(stream && { stream: this.#streamWithCopies(stream) }),
    };
    // A failure is reported when the commit's turn comes.
    for (const bytes of this.#largeOf(own)) this.#put(bytes).catch(() => undefined);
    return own;
  }

  /**
   * Resolves to the commits whose files are all in the store, and rejects the others. Stream
   * contents that can't be stored go into the log itself, because a session can't continue without
   * its journal. Merged contents are uploaded only now.
   */
  async finish(group: readonly PendingCommit[]): Promise<PendingCommit[]> {
    const ready: PendingCommit[] = [];
    for (const commit of group) {
      try {
        const files = this.#largeIn(filesOf(commit));
        const appended = this.#largeIn(appendedOf(commit));
        await Promise.all([
          ...files.map((bytes) => this.#name(bytes)),
          ...appended.map((bytes) => this.#name(bytes).catch(() => undefined)),
        ]);
        ready.push(commit);
      } catch (error) {
        commit.reject(error);
      }
    }
    return ready;
  }

  /** Undefined if the content isn't in the store: it is small, or the store has failed. */
  nameOf(bytes: Uint8Array): string | undefined {
    return this.#names.get(bytes);
  }

  #put(bytes: Uint8Array): Promise<string> {
    const known = this.#puts.get(bytes);
    if (known) return known;
    const putting = this.#store.put(bytes);
    this.#puts.set(bytes, putting);
    return putting;
  }

  async #name(bytes: Uint8Array): Promise<void> {
    this.#names.set(bytes, await this.#put(bytes));
  }

  #largeOf(commit: AskedCommit): Uint8Array[] {
    return this.#largeIn([...filesOf(commit), ...appendedOf(commit)]);
  }

  #largeIn(contents: readonly Uint8Array[]): Uint8Array[] {
    return contents.filter((bytes) => this.#isLarge(bytes));
  }

  #isLarge(bytes: Uint8Array): boolean {
    return bytes.length >= this.#store.minBytes;
  }

  /** A copy, because the caller may reuse its buffer before the upload has read it. */
  #copied(bytes: Uint8Array): Uint8Array {
    return this.#isLarge(bytes) ? bytes.slice() : bytes;
  }

  #withCopies({ baseSeq, changes }: ChangeSet): ChangeSet {
    return {
      baseSeq,
      changes: changes.map((change) =>
        change.type === 'write' && change.content instanceof Uint8Array
          ? { ...change, content: this.#copied(change.content) }
          : change,
      ),
    };
  }

  #streamWithCopies(stream: ValidStreamRequest): ValidStreamRequest {
    if (stream.type !== 'append') return stream;
    const entries = stream.entries.map((entry) => ({
      ...entry,
      contents: entry.contents.map((bytes) => this.#copied(bytes)),
    }));
    return { ...stream, entries };
  }
}

function filesOf({ changeSet }: AskedCommit): Uint8Array[] {
  return changeSet.changes.flatMap((change) =>
    change.type === 'write' && change.content instanceof Uint8Array ? [change.content] : [],
  );
}

function appendedOf({ stream }: AskedCommit): readonly Uint8Array[] {
  return stream?.type === 'append' ? stream.entries.flatMap((entry) => entry.contents) : [];
}
