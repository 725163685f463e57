// Makes ids for long-lived things. They are opaque to everyone but their maker.

/** A fresh UUID, as the SDK messages carry them. */
export function createId(): string {
  return crypto.randomUUID();
}
