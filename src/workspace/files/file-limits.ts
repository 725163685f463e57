// Size limits of names, paths and files. Views refuse what exceeds them. The writer checks again,
// because a change set comes from another realm.

// Linux's limits, so that files can be copied to a disk.
export const maxPathBytes = 4095;
export const maxNameBytes = 255;

/**
 * 1 GiB: the limit of one file, unless its view has a lower one. It is more than a tab can hold
 * twice, and less than the 1.5 GiB that one record of the log may have.
 */
export const maxFileBytes = 1_073_741_824;

/** True if the text's UTF-8 form has more than `limit` bytes. */
export function byteLengthExceeds(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  return text.length * 3 > limit && new TextEncoder().encode(text).length > limit;
}
