// Stores the handles of the folders that a person has opened in IndexedDB. So a folder is recognised by its identity,
// not by its name, and is open again after a reload.

const store = 'folders';

/** Stores the handle and returns its number. A folder that was opened before keeps its number. */
export async function keepFolder(handle: FileSystemDirectoryHandle): Promise<number> {
  const database = await openDatabase();
  try {
    const known = database.transaction(store).objectStore(store);
    const [ids, handles] = await Promise.all([
      settle<IDBValidKey[]>(known.getAllKeys()),
      settle<FileSystemDirectoryHandle[]>(known.getAll()),
    ]);
    for (const [at, other] of handles.entries()) {
      if (await other.isSameEntry(handle)) return Number(ids[at]);
    }
    const adding = database.transaction(store, 'readwrite').objectStore(store).add(handle);
    return Number(await settle(adding));
  } finally {
    database.close();
  }
}

/** Undefined if the browser has removed it. */
export async function findFolder(id: number): Promise<FileSystemDirectoryHandle | undefined> {
  const database = await openDatabase();
  try {
    return await settle(database.transaction(store).objectStore(store).get(id));
  } finally {
    database.close();
  }
}

/**
 * True if the folder may be changed without a question. After a reload the person hasn't clicked anything, so a
 * question isn't possible.
 */
export async function isGranted(handle: FileSystemDirectoryHandle): Promise<boolean> {
  // The cast is needed because TypeScript's library doesn't declare the method. Some browsers don't have it either.
  const { queryPermission } = handle as unknown as AskingHandle;
  if (!queryPermission) return true;
  return (await queryPermission.call(handle, { mode: 'readwrite' })) === 'granted';
}

interface AskingHandle {
  readonly queryPermission?: (options: { readonly mode: string }) => Promise<PermissionState>;
}

function openDatabase(): Promise<IDBDatabase> {
  const opening = indexedDB.open('rockpool-demo', 1);
  opening.addEventListener('upgradeneeded', () => {
    opening.result.createObjectStore(store, { autoIncrement: true });
  });
  return settle(opening);
}

function settle<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error));
  });
}
