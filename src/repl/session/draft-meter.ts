// What a cell writes waits in the host's memory until the cell ends: so it has the same bound as what
// the cell has in its own.
import { SdkError } from '../../core/errors.ts';

/** Of one cell. */
export class DraftMeter {
  readonly #maxBytes: number;
  readonly #heldBytes: () => number;
  /** What the draft holds, or more: what was removed or written over since it was asked is in it. */
  #counted = 0;

  constructor(maxBytes: number, heldBytes: () => number) {
    this.#maxBytes = maxBytes;
    this.#heldBytes = heldBytes;
  }

  /**
   * To be called before a file is written that will have so many bytes.
   *
   * @throws SdkError `limit-exceeded` where that is more than there may be, or there is already.
   */
  require(bytes: number): void {
    if (this.#counted + bytes > this.#maxBytes) this.recount();
    if (this.#counted + bytes <= this.#maxBytes) return;
    const remedy =
      bytes > this.#maxBytes
        ? 'The file alone has more, and a changed file is held whole: keep it in several files.'
        : 'Write the rest in another cell: what this one has written is kept when it succeeds.';
    const error = new SdkError(
      'limit-exceeded',
      `What a cell has written may hold ${this.#maxBytes} bytes, as the sandbox's memory may, and ` +
        `this would be more. ${remedy}`,
      { data: { limit: 'maxMemoryBytes', value: this.#maxBytes } },
    );
    error.name = 'LimitError';
    throw error;
  }

  /** A file was written, and has so many bytes now: all of them are a new content. */
  add(bytes: number): void {
    this.#counted += bytes;
  }

  /** Someone else has written to the draft, or has perhaps. */
  recount(): void {
    this.#counted = this.#heldBytes();
  }
}
