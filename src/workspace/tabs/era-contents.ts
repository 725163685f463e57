// Contents through a writer that this tab may lose. Reads in flight are then served by the next
// source. Content ids stay the same from one leader to the next.
import type { ContentId } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import type { ContentSource, SavedIndex, StoredPart } from '../state/content-source.ts';
import type { PackedSegment } from '../feed/feed.ts';

export class EraContents implements ContentSource {
  #after!: Promise<ContentSource>;
  #succeed: (source: ContentSource) => void = () => {};
  #fail: (error: SdkError) => void = () => {};
  #source: ContentSource | undefined;
  #successor: ContentSource | undefined;

  /** Without a source it starts in the ended state: reads wait. */
  constructor(source?: ContentSource) {
    this.#source = source;
    this.#await();
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
    return (await this.#after).readMany(contentIds);
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

  /** A tab that doesn't lead keeps none. */
  saveIndex(index: SavedIndex): void {
    this.#source?.saveIndex?.(index);
  }

  /** The source is gone. Reads wait for {@link succeed} or {@link fail}. */
  end(): void {
    this.#source = undefined;
  }

  succeed(source: ContentSource): void {
    // Like the promise, only the first call takes effect.
    this.#successor ??= source;
    this.#succeed(source);
  }

  fail(error: SdkError): void {
    this.#fail(error);
  }

  /** Rejects the reads that wait. Later ones wait anew. */
  refuse(error: SdkError): void {
    const fail = this.#fail;
    this.#await();
    fail(error);
  }

  #await(): void {
    this.#after = new Promise((resolve, reject) => {
      this.#succeed = resolve;
      this.#fail = reject;
    });
    // It may fail while no read waits; that is no unhandled rejection.
    this.#after.catch(() => {});
  }
}
