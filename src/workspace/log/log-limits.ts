// How large things get before the log does something about them. Tests make them small.

export interface LogLimits {
  /** A segment that would grow beyond it is followed by another. A larger record has its own. */
  readonly segmentBytes: number;
  /**
   * An image is due when the records since the last exceed this, and a quarter of the image. Contents
   * count an eighth: an import must not write one for each of its batches.
   */
  readonly imageBytes: number;
  /** Compaction is due when more than this, and more than half of the segments' bytes, is dead. */
  readonly deadBytes: number;
  /** What compaction copies at once, between two commits. */
  readonly pieceBytes: number;
  /** Each opening makes a segment: so many small ones are merged. Small: a 64th of `segmentBytes`. */
  readonly smallSegments: number;
  /** A stream's newest entries stand in the state until they are longer than this, in characters. */
  readonly packBytes: number;
}

// 64 MB: few files for a large workspace, and little to copy where half of one is dead. 2 MB of
// records replay in some 20 ms. 4 MB are copied in about 10 ms, which a commit may have to wait.
// 32 kB: of a thousand streams an image then holds 16 MB; a stream of 25 MB has 800 packs.
export const defaultLogLimits: LogLimits = {
  segmentBytes: 67_108_864,
  imageBytes: 2_097_152,
  deadBytes: 16_777_216,
  pieceBytes: 4_194_304,
  smallSegments: 16,
  packBytes: 32_768,
};
