// What the browser promises about this origin's storage. Only a page may ask. Nobody waits for the
// answer, because a browser may ask the user.

/** The browser's own figures, which it may round. */
export interface StorageFacts {
  /**
   * True: deleted only with the site's data. False: a browser that runs out of space may delete all
   * data of this origin, including all workspaces.
   */
  readonly isPersisted: boolean;
  /** The usage of the whole origin. */
  readonly usageBytes?: number;
  readonly quotaBytes?: number;
}

/** Requests persistent storage. {@link readStorageFacts} tells the result. */
export function askForPersistence(): void {
  // Some browsers reject instead of returning false, for example in private windows.
  storageOfPage()
    ?.persist?.()
    .catch(() => undefined);
}

/** Undefined if the browser provides no figures. */
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
