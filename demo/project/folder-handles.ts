// The folders that a person has opened, as their handles, in IndexedDB. So a folder is known again
// by its identity, not by its name, and a reload goes on with it.

const store = 'folders';

/** The handle's number; a folder that was opened before has the one it had. */
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

/** Undefined where the browser has forgotten it. */
export async function findFolder(id: number): Promise<FileSystemDirectoryHandle | undefined> {
  const database = await openDatabase();
  try {
    return await settle(database.transaction(store).objectStore(store).get(id));
  } finally {
    database.close();
  }
}

/** May it be changed without asking the person, who hasn't clicked anything after a reload? */
export async function isGranted(handle: FileSystemDirectoryHandle): Promise<boolean> {
  // The cast: TypeScript's library doesn't have it, and nor do some browsers.
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
