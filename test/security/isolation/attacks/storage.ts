// At what the page's origin keeps, and at the page itself.
import type { Attack } from '../attack.ts';

const realm = 'Function("return this")()';
const settled =
  '(request) => new Promise((done) => { request.onsuccess = () => done(request.result); request.onerror = () => done() })';

export const storageAttacks: readonly Attack[] = [
  {
    name: 'reads a database of the page',
    cells: `
      const settled = ${settled};
      const database = await settled(${realm}.indexedDB.open('page-db'));
      const token = await settled(database.transaction('items').objectStore('items').get('token'));
      database.close();
      token`,
    without: 'engine',
    harm: 'secret',
  },
  {
    name: 'deletes it',
    cells: `await (${settled})(${realm}.indexedDB.deleteDatabase('page-db'))`,
    without: 'engine',
    harm: 'page',
  },
  {
    name: "reads a file of the origin's private file system",
    cells: `
      const root = await navigator.storage.getDirectory();
      await (await (await root.getFileHandle('token.txt')).getFile()).text()`,
    without: 'engine',
    harm: 'secret',
  },
  {
    name: 'removes everything there, the workspace with it',
    cells: `
      const root = await navigator.storage.getDirectory();
      for await (const name of root.keys()) await root.removeEntry(name, { recursive: true }).catch(() => {})`,
    without: 'engine',
    harm: 'page',
  },
  {
    name: 'reads what the page has cached',
    cells: `await (await caches.match('/token')).text()`,
    without: 'engine',
    harm: 'secret',
  },
  {
    name: 'puts something else into its cache',
    cells: `await (await caches.open('page-cache')).put('/token', new (${realm}.Response)('owned'))`,
    without: 'engine',
    harm: 'page',
  },
  {
    name: 'speaks on a channel of the page, and listens',
    cells: `
      const channel = new (${realm}.BroadcastChannel)('page-channel');
      channel.postMessage('owned');
      await new Promise((done) => { channel.onmessage = ({ data }) => done(data) })`,
    without: 'engine',
    harm: 'page',
  },
  {
    name: 'steals a lock that the page holds',
    cells: `await navigator.locks.request('page-lock', { steal: true }, () => {})`,
    without: 'engine',
    harm: 'page',
  },
  {
    name: 'reads the storage of the page and of its session',
    cells: `[localStorage.getItem('token'), sessionStorage.getItem('token')]`,
    without: 'page-engine',
    harm: 'secret',
  },
  {
    name: 'writes there',
    cells: `localStorage.setItem('token', 'owned'); sessionStorage.clear()`,
    without: 'page-engine',
    harm: 'page',
  },
  {
    name: "reads the page's cookies, and sets one",
    cells: `const { cookie } = document; document.cookie = 'token=owned; path=/'; cookie`,
    without: 'page-engine',
    harm: 'page',
  },
  {
    name: "changes the page's title, its address and its document",
    cells: `
      document.title = 'owned';
      history.pushState(null, '', '?owned');
      document.body.append(document.createElement('iframe'))`,
    without: 'page-engine',
    harm: 'page',
  },
];
