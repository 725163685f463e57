/** Compared as far as they go, so that most differences are found at once. */
export function isSameBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left === right) return true;
  return left.length === right.length && left.every((byte, at) => byte === right[at]);
}
