// Sizes at which the log acts. Tests make them small.

export interface LogLimits {
  /**
   * A segment that would become larger is followed by a new one. A larger record gets its own
   * segment.
   */
  readonly segmentBytes: number;
  /**
   * An image is written when the records since the last one exceed this, and a quarter of the
   * image. Contents count an eighth, so that an import doesn't write an image for each of its
   * batches.
   */
  readonly imageBytes: number;
  /** Compaction starts when more than this, and more than half of the segments' bytes, is dead. */
  readonly deadBytes: number;
  /** How much compaction copies at once, between two commits. */
  readonly pieceBytes: number;
  /**
   * Each opening creates a segment, so this many small ones are merged. Small means a 64th of
   * `segmentBytes`.
   */
  readonly smallSegments: number;
  /** A stream's newest entries are kept in the state until they have more characters than this. */
  readonly packBytes: number;
}

// 64 MB segments: few files for a large workspace, and little to copy if half of one is dead. 2 MB
// of records replay in about 20 ms. 4 MB are copied in about 10 ms, for which a commit may have to
// wait. 32 kB: an image with a thousand streams has 16 MB of them, and a stream of 25 MB has 800
// packs.
export const defaultLogLimits: LogLimits = {
  segmentBytes: 67_108_864,
  imageBytes: 2_097_152,
  deadBytes: 16_777_216,
  pieceBytes: 4_194_304,
  smallSegments: 16,
  packBytes: 32_768,
};
