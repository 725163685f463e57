// Names for things that live longer than a variable. All are opaque to everyone but their maker.

/** A fresh UUID, as the SDK messages carry them. */
export function createId(): string {
  return crypto.randomUUID();
}
