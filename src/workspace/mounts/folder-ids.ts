// Which folder a handle is of: two may have one name. Handles are kept in IndexedDB, which is the one place where a
// browser keeps them, each with an id that it has from then on. Called by directory-source.ts.

interface KnownFolder {
  readonly id: string;
  readonly handle: FileSystemDirectoryHandle;
}

const databaseName = 'rockpool-mounted-folders';
const store = 'folders';

/** Undefined where the browser can't keep handles, or none of this kind. */
export async function findFolderId(handle: FileSystemDirectoryHandle): Promise<string | undefined> {
  if (!('indexedDB' in globalThis)) return undefined;
  let database: IDBDatabase | undefined;
  try {
    database = await openDatabase();
    const known = await findKnown(database, handle);
    if (known !== undefined) return known;
    const folder: KnownFolder = { id: crypto.randomUUID(), handle };
    await settle(database.transaction(store, 'readwrite').objectStore(store).add(folder));
    // Another tab may have been first.
    return await findKnown(database, handle);
  } catch {
    // Its name has to do then, as for a source without an id.
    return undefined;
  } finally {
    database?.close();
  }
}

/** The first of them that is the same. */
async function findKnown(
  database: IDBDatabase,
  handle: FileSystemDirectoryHandle,
): Promise<string | undefined> {
  const asked = database.transaction(store).objectStore(store).getAll() as IDBRequest<
    KnownFolder[]
  >;
  for (const { id, handle: known } of await settle(asked)) {
    if (known.name === handle.name && (await known.isSameEntry(handle))) return id;
  }
  return undefined;
}

function openDatabase(): Promise<IDBDatabase> {
  const opening = indexedDB.open(databaseName, 1);
  opening.addEventListener('upgradeneeded', () => {
    opening.result.createObjectStore(store, { autoIncrement: true });
  });
  return settle(opening);
}

function settle<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', (event) => {
      // Firefox would report it to the page, too.
      event.preventDefault();
      reject(request.error ?? new Error('IndexedDB has refused a request.'));
    });
  });
}
