// Identifies the folder of a handle, because two folders may have the same name. Handles are stored
// with an id in IndexedDB, the only storage that can keep them. Called by directory-source.ts.
import { settleRequest } from '../../core/async/settle-request.ts';

interface KnownFolder {
  readonly id: string;
  readonly handle: FileSystemDirectoryHandle;
}

const databaseName = 'rockpool-mounted-folders';
const store = 'folders';

/** Resolves to undefined if the browser can't store this handle. */
export async function findFolderId(handle: FileSystemDirectoryHandle): Promise<string | undefined> {
  if (!('indexedDB' in globalThis)) return undefined;
  let database: IDBDatabase | undefined;
  try {
    database = await openDatabase();
    const known = await findKnown(database, handle);
    if (known !== undefined) return known;
    const folder: KnownFolder = { id: crypto.randomUUID(), handle };
    await settleRequest(database.transaction(store, 'readwrite').objectStore(store).add(folder));
    // Another tab may have stored it first.
    return await findKnown(database, handle);
  } catch {
    // The folder is then identified by its name, as a source without an id.
    return undefined;
  } finally {
    database?.close();
  }
}

/** Returns the first stored handle of the same folder. */
async function findKnown(
  database: IDBDatabase,
  handle: FileSystemDirectoryHandle,
): Promise<string | undefined> {
  const asked = database.transaction(store).objectStore(store).getAll() as IDBRequest<
    KnownFolder[]
  >;
  for (const { id, handle: known } of await settleRequest(asked)) {
    if (known.name === handle.name && (await known.isSameEntry(handle))) return id;
  }
  return undefined;
}

function openDatabase(): Promise<IDBDatabase> {
  const opening = indexedDB.open(databaseName, 1);
  opening.addEventListener('upgradeneeded', () => {
    opening.result.createObjectStore(store, { autoIncrement: true });
  });
  return settleRequest(opening);
}
