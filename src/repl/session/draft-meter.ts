// What a cell writes waits in the host's memory until the cell ends: so it has the same bound as what
// the cell has in its own.
import { SdkError } from '../../core/errors.ts';

/** Of one cell. */
export class DraftMeter {
  readonly #maxBytes: number;
  readonly #heldBytes: () => number;
  /** What the draft holds, or more: what was removed or written over since it was asked is in it. */
  #counted = 0;
  /** All that was written through this meter, and bytes of the draft that are no matter of the cell's. */
  #written = 0;
  #leftOut = 0;

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
    this.#written += bytes;
  }

  /** What `run` brings into the draft isn't counted: git bounds what it takes from a server by itself. */
  async leaveOut<Result>(run: () => Promise<Result>): Promise<Result> {
    const held = this.#heldBytes();
    const written = this.#written;
    try {
      return await run();
    } finally {
      // The cell may have written meanwhile.
      const grown = this.#heldBytes() - held - (this.#written - written);
      this.#leftOut += Math.max(0, grown);
    }
  }

  /** Someone else has written to the draft, or has perhaps. */
  recount(): void {
    this.#counted = Math.max(0, this.#heldBytes() - this.#leftOut);
  }
}
