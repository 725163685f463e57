// The size limits of names, paths and files. Views refuse what exceeds them. The writer checks
// again, because a change set comes from another realm.

// Linux's limits, so that what is written here can be written to a disk.
export const maxPathBytes = 4095;
export const maxNameBytes = 255;

/**
 * Bytes that one file may have, unless its view says less. 1 GiB: more than a tab can hold beside
 * its own copy, and within the 1.5 GiB that one record of the log may bring.
 */
export const maxFileBytes = 1_073_741_824;

/** Is the text's UTF-8 form longer than `limit` bytes? */
export function byteLengthExceeds(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  return text.length * 3 > limit && new TextEncoder().encode(text).length > limit;
}
