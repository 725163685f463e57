// Contents through a writer that this tab may lose. Reads in flight then continue with the next
// source. Content ids stay the same from one leader to the next.
import { type Deferred, createDeferred } from '../../core/async/deferred.ts';
import type { ContentId } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import type { ContentSource, SavedIndex, StoredPart } from '../state/content-source.ts';
import type { PackedSegment } from '../feed/feed.ts';

export class EraContents implements ContentSource {
  #after = awaitSource();
  #source: ContentSource | undefined;
  #successor: ContentSource | undefined;

  /** Without a source, reads wait. */
  constructor(source?: ContentSource) {
    this.#source = source;
  }

  readSync(contentId: ContentId): Uint8Array {
    if (this.#source) return this.#source.readSync(contentId);
    throw new SdkError(
      'worker-lost',
      'Another tab is taking over the workspace. Read the file again in a moment.',
    );
  }

  async readMany(contentIds: readonly ContentId[]): Promise<Uint8Array[]> {
    const source = this.#source;
    if (source) {
      try {
        return await source.readMany(contentIds);
      } catch (error) {
        if (this.#source) throw error;
      }
    }
    return (await this.#after.promise).readMany(contentIds);
  }

  async packed(wanted: ReadonlySet<ContentId>): Promise<readonly PackedSegment[]> {
    return (this.#source ?? this.#successor)?.packed?.(wanted) ?? [];
  }

  async readStored(part: StoredPart): Promise<Uint8Array | undefined> {
    return this.#source?.readStored?.(part);
  }

  async savedIndex(): Promise<Blob | undefined> {
    return (this.#source ?? this.#successor)?.savedIndex?.();
  }

  /** A tab that isn't the leader doesn't save indexes. */
  saveIndex(index: SavedIndex): void {
    this.#source?.saveIndex?.(index);
  }

  /** Called when the source is gone. Reads wait for {@link succeed} or {@link fail}. */
  end(): void {
    this.#source = undefined;
  }

  succeed(source: ContentSource): void {
    // Only the first call takes effect, as for the promise.
    this.#successor ??= source;
    this.#after.resolve(source);
  }

  fail(error: SdkError): void {
    this.#after.reject(error);
  }

  /** Rejects waiting reads. Later reads wait again. */
  refuse(error: SdkError): void {
    this.#after.reject(error);
    this.#after = awaitSource();
  }
}

function awaitSource(): Deferred<ContentSource> {
  const source = createDeferred<ContentSource>();
  // It may reject while no read waits, which must not count as unhandled.
  source.promise.catch(() => {});
  return source;
}
