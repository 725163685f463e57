// Contents by way of a writer that this tab may lose: whoever reads meanwhile is served by what comes
// after it. Content ids stay the same from one leader to the next.
import type { ContentId } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import type { ContentSource, SavedIndex, StoredPart } from '../state/content-source.ts';
import type { PackedSegment } from '../feed/feed.ts';

export class EraContents implements ContentSource {
  readonly #after: Promise<ContentSource>;
  #succeed: (source: ContentSource) => void = () => {};
  #fail: (error: SdkError) => void = () => {};
  #source: ContentSource | undefined;
  #successor: ContentSource | undefined;

  /** Without a source it begins where others have ended. */
  constructor(source?: ContentSource) {
    this.#source = source;
    this.#after = new Promise((resolve, reject) => {
      this.#succeed = resolve;
      this.#fail = reject;
    });
    // Nobody need be reading when it fails.
    this.#after.catch(() => {});
  }

  readSync(contentId: ContentId): Uint8Array {
    if (this.#source) return this.#source.readSync(contentId);
    throw new SdkError(
      'worker-lost',
      'The workspace is just passing to another tab. Read the file again in a moment.',
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

  /** The source is gone. Those who read wait for {@link succeed} or {@link fail}. */
  end(): void {
    this.#source = undefined;
  }

  succeed(source: ContentSource): void {
    // As with the promise, the first one counts.
    this.#successor ??= source;
    this.#succeed(source);
  }

  fail(error: SdkError): void {
    this.#fail(error);
  }
}
