// The memory limits of searches in an isolate, which has 128 MB in total.

/** At most a quarter, with less for bitmaps: decoding them again costs only time. */
export const edgeSearch = {
  maxTextBytes: 16 * 1024 * 1024,
  bitsPerTrigram: 4,
  readsAhead: false,
} as const;
