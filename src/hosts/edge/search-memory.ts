// What searches may keep in an isolate, which has 128 MB for all that runs in it.

/** A quarter of it at most, and less of it for bitmaps: what is decoded again costs time only. */
export const edgeSearch = {
  maxTextBytes: 16 * 1024 * 1024,
  bitsPerTrigram: 4,
  readsAhead: false,
} as const;
