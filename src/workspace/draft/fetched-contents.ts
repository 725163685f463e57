// Contents for the synchronous file system of one call. A content in a bucket can't be read
// synchronously, so the miss is recorded. The content is then fetched and cached here, so that the
// same code finds it when it runs again.
import type { ContentId } from '../../core/change-set.ts';
import { SdkError, hasCode } from '../../core/errors.ts';
import { readContent, type ContentSource } from '../state/content-source.ts';

/** 32 MB: a quarter of an isolate's memory, which also holds the call's own memory. */
const maxFetchedBytes = 32 * 1024 * 1024;

/** A cache that belongs to one call and ends with it. */
export class FetchedContents implements ContentSource {
  readonly #source: ContentSource;
  readonly #held = new Map<ContentId, Uint8Array>();
  #bytes = 0;
  #absent: ContentId | undefined;

  constructor(source: ContentSource) {
    this.#source = source;
  }

  /** True if a content was requested that can't be read at once and wasn't fetched yet. */
  get isAbsent(): boolean {
    return this.#absent !== undefined;
  }

  readSync(contentId: ContentId): Uint8Array {
    const held = this.#held.get(contentId);
    if (held) return held;
    try {
      return this.#source.readSync(contentId);
    } catch (error) {
      if (hasCode(error, 'unsupported-environment')) {
        this.#absent = contentId;
      }
      throw error;
    }
  }

  readMany(contentIds: readonly ContentId[]): Promise<Uint8Array[]> {
    return this.#source.readMany(contentIds);
  }

  async readPart(contentId: ContentId, offset: number, length: number): Promise<Uint8Array> {
    if (this.#source.readPart) return this.#source.readPart(contentId, offset, length);
    return (await readContent(this.#source, contentId)).subarray(offset, offset + length);
  }

  /**
   * Fetches the missing contents. Rejects as reading does, and with `limit-exceeded` if they are
   * too large together.
   */
  async bring(): Promise<void> {
    const contentId = this.#absent;
    if (contentId === undefined) return;
    this.#absent = undefined;
    const bytes = await readContent(this.#source, contentId);
    this.#bytes += bytes.length;
    if (this.#bytes > maxFetchedBytes) {
      throw new SdkError(
        'limit-exceeded',
        `The large files that this code reads synchronously come to ${this.#bytes} bytes, and ${maxFetchedBytes} may be ` +
          'held at a time. Read fewer of them at once.',
        { data: { bytes: this.#bytes, maxBytes: maxFetchedBytes } },
      );
    }
    this.#held.set(contentId, bytes);
  }
}
