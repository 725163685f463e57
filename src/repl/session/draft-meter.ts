// Limits how many bytes a cell writes. They stay in the host's memory until the cell ends, so the
// limit is that of the cell's own memory.
import { SdkError } from '../../core/errors.ts';

/** The meter of one cell. */
export class DraftMeter {
  readonly #maxBytes: number;
  readonly #heldBytes: () => number;
  /**
   * An upper bound of the draft's bytes. Bytes that were removed or overwritten since the last
   * count are included.
   */
  #counted = 0;
  /** The bytes that were written through this meter. */
  #written = 0;
  /** Bytes of the draft that aren't counted for the cell, such as data that git has fetched. */
  #leftOut = 0;

  constructor(maxBytes: number, heldBytes: () => number) {
    this.#maxBytes = maxBytes;
    this.#heldBytes = heldBytes;
  }

  /**
   * Call this before a file of `bytes` bytes is written.
   *
   * @throws SdkError `limit-exceeded` if the draft would exceed its limit, or already does.
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

  /**
   * Counts a file that was written. All of its bytes count, because the file is stored as a new
   * content.
   */
  add(bytes: number): void {
    this.#counted += bytes;
    this.#written += bytes;
  }

  /**
   * Runs `run` without counting what it writes. Git has a limit of its own for the data that it
   * fetches.
   */
  async leaveOut<Result>(run: () => Promise<Result>): Promise<Result> {
    const held = this.#heldBytes();
    const written = this.#written;
    try {
      return await run();
    } finally {
      // The cell itself may have written files while `run` was under way. Those still count.
      const grown = this.#heldBytes() - held - (this.#written - written);
      this.#leftOut += Math.max(0, grown);
    }
  }

  /** Call this when code other than this meter's caller may have written to the draft. */
  recount(): void {
    this.#counted = Math.max(0, this.#heldBytes() - this.#leftOut);
  }
}
