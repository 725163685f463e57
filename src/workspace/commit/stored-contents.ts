// Puts the large contents of commits into the medium's store before the commits are written. The writer owns it.
import type { ChangeSet } from '../../core/change-set.ts';
import type { ContentStore } from '../log/content-store.ts';
import type { PendingCommit } from './plan-group.ts';
import type { ValidStreamRequest } from './validate-stream.ts';

type AskedCommit = Pick<PendingCommit, 'changeSet' | 'stream'>;

/** Contents are known by their buffers, from the asking until the commit is written. */
export class StoredContents {
  readonly #store: ContentStore;
  readonly #puts = new WeakMap<Uint8Array, Promise<string>>();
  readonly #names = new WeakMap<Uint8Array, string>();

  constructor(store: ContentStore) {
    this.#store = store;
  }

  /** The commit with large contents as copies of its own, which are on their way to the store. */
  begin<Commit extends AskedCommit>(commit: Commit): Commit {
    if (this.#largeOf(commit).length === 0) return commit;
    const { changeSet, stream } = commit;
    const own = {
      ...commit,
      changeSet: this.#withCopies(changeSet),
      ...(stream && { stream: this.#streamWithCopies(stream) }),
    };
    // A commit that waits for its turn hears of a failure then.
    for (const bytes of this.#largeOf(own)) this.#put(bytes).catch(() => undefined);
    return own;
  }

  /**
   * The commits whose files are all in the store. The others are rejected here. What of a stream isn't there goes into the
   * log itself: a session whose journal can't be written is over. What a merge has made is put only now.
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

  /** Undefined: it isn't in the store, as it is small, or the store has failed. */
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

  /** Their maker may use its buffers again before the store has read them. */
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
