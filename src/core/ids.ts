// Makes ids for long-lived things. No code may read a meaning from an id.

/** A fresh UUID, as the SDK messages carry them. */
export function createId(): string {
  return crypto.randomUUID();
}
