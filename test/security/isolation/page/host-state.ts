// Things of a page that are worth stealing or spoiling: planted when it loads, looked at afterwards.
// Each holds a word of its own that begins with `secret-of-`.

const heard: string[] = [];
let lock: 'none' | 'held' | 'stolen' = 'none';

/** Plants them, or what an attack has taken of them. */
export async function plantLures(): Promise<void> {
  localStorage.setItem('token', 'secret-of-local-storage');
  sessionStorage.setItem('token', 'secret-of-session-storage');
  document.cookie = 'token=secret-of-cookie; SameSite=Lax; path=/';
  const store = await openStore();
  await settled(store.put('secret-of-idb', 'token'));
  const cache = await caches.open('page-cache');
  await cache.put('/token', new Response('secret-of-cache'));
  const root = await navigator.storage.getDirectory();
  const file = await root.getFileHandle('token.txt', { create: true });
  const writable = await file.createWritable();
  await writable.write('secret-of-opfs');
  await writable.close();
  if (lock === 'none') listen();
  if (lock !== 'held') await takeLock();
}

/** Answers whoever speaks on the channel. */
function listen(): void {
  const channel = new BroadcastChannel('page-channel');
  channel.onmessage = ({ data }) => {
    heard.push(String(data));
    channel.postMessage('secret-of-channel');
  };
}

/** Held until it is stolen. */
function takeLock(): Promise<void> {
  return new Promise((granted) => {
    navigator.locks
      .request('page-lock', () => {
        lock = 'held';
        granted();
        return new Promise(() => {});
      })
      .catch(() => void (lock = 'stolen'));
  });
}

/** All of it as text. */
export async function readHostState(): Promise<Record<string, string>> {
  const databases = await indexedDB.databases();
  const cache = await caches.open('page-cache');
  const root = await navigator.storage.getDirectory();
  const names: string[] = [];
  for await (const name of root.keys()) names.push(name);
  return {
    localStorage: JSON.stringify({ ...localStorage }),
    sessionStorage: JSON.stringify({ ...sessionStorage }),
    cookies: document.cookie,
    databases: databases
      .map(({ name }) => name)
      .sort()
      .join(),
    idb: String(await settled((await openStore()).get('token'))),
    caches: (await caches.keys()).sort().join(),
    cached: await ((await cache.match('/token'))?.text() ?? 'gone'),
    opfs: names.sort().join(),
    opfsFile: await readOpfs(root),
    channel: heard.join(),
    lock,
    serviceWorkers: String((await navigator.serviceWorker.getRegistrations()).length),
    location: location.href,
    title: document.title,
    history: String(history.length),
    frames: String(document.querySelectorAll('iframe, script:not([src])').length),
  };
}

async function readOpfs(root: FileSystemDirectoryHandle): Promise<string> {
  try {
    const file = await (await root.getFileHandle('token.txt')).getFile();
    return await file.text();
  } catch {
    return 'gone';
  }
}

async function openStore(): Promise<IDBObjectStore> {
  const request = indexedDB.open('page-db');
  request.onupgradeneeded = () => request.result.createObjectStore('items');
  const database = await settled(request);
  // Whoever deletes the database may: it is then made anew, without what it held.
  database.onversionchange = () => database.close();
  return database.transaction('items', 'readwrite').objectStore('items');
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('IndexedDB failed.'));
  });
}
