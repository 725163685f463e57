// What the browser promises about this origin's storage. Only a page may ask; nobody waits for the
// answer, because a browser may put the question to the user.

/** The browser's own figures, which it may round. */
export interface StorageFacts {
  /**
   * True: deleted only with the site's data. False: best effort, so a browser that runs out of space
   * may delete everything of this origin, all workspaces whole.
   */
  readonly isPersisted: boolean;
  /** The usage of the whole origin. */
  readonly usageBytes?: number;
  readonly quotaBytes?: number;
}

/** Asks for storage that isn't evicted. What came of it, {@link readStorageFacts} tells. */
export function askForPersistence(): void {
  // A refusal is an answer; some browsers reject instead, in private windows for example.
  storageOfPage()
    ?.persist?.()
    .catch(() => undefined);
}

/** Undefined where the browser tells nothing. */
export async function readStorageFacts(): Promise<StorageFacts | undefined> {
  const storage = storageOfPage();
  if (!storage?.persisted || !storage.estimate) return undefined;
  const [isPersisted, { usage, quota }] = await Promise.all([
    storage.persisted(),
    storage.estimate(),
  ]);
  return {
    isPersisted,
    ...(usage !== undefined && { usageBytes: usage }),
    ...(quota !== undefined && { quotaBytes: quota }),
  };
}

function storageOfPage(): Partial<StorageManager> | undefined {
  return (navigator as Partial<Navigator>).storage;
}
