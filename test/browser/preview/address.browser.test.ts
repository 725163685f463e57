// The address of a previewed page, as routers read and set it: by fragments, and by paths.
import { expect, it } from 'vitest';
import { openPreview, refOf, type Files } from '../../support/browser/preview-page.ts';

/** Runs the code as a module of `/app/site/index.html`, and gives what it logs. */
async function logsOf(code: string, files: Files = {}): Promise<readonly string[]> {
  const { open, preview } = await openPreview({
    'site/index.html': '<!doctype html><script type="module" src="main.js"></script>',
    'site/main.js': code,
    ...files,
  });
  await open('/app/site/index.html');
  return (await preview.readConsole()).messages.map(({ text }) => text);
}

it('is the path from the root directory, for all that a module reads it by', async () => {
  const logs = await logsOf(
    `import { read } from './typed.ts'; import common from './common.cjs';
    const { origin } = location;
    const told = (url) => String(url).replace(origin, '');
    console.log(told(location), told(window.location.href), told(document.location.href), location.pathname);
    console.log(told(read({ window: document.defaultView })), told(common()), typeof location);
    console.log(new URL(document.links[0]?.href ?? 'x', location.href).origin === origin, location.protocol);
    const { history, location: taken } = window; const made = { location };
    console.log(taken === location, made.location === taken, history === window.history);
    // What isn't the page's is left as it is.
    const route = { location: { pathname: '/own' }, go: { location() { return this === route.go; } } };
    { const location = 'inner'; console.log(location, route.location.pathname, route?.location.pathname); }
    console.log(route.go.location(), route.none?.location, new URL('c', 'https://a.test/b/').href);
    try { route.none.location; } catch (error) { console.log(error instanceof TypeError); }`,
    {
      'site/typed.ts': `interface Given { window: Window }
        export const read = ({ window }: Given): string => { const { location } = window; return location.href; };`,
      'site/common.cjs':
        'module.exports = () => self.location.pathname + globalThis.location.hash;',
    },
  );
  expect(logs).toEqual([
    '/ / / /',
    '/ / object',
    'true http:',
    'true true true',
    'inner /own /own',
    'true undefined https://a.test/b/c',
    'true',
  ]);
});

const router = `const told = document.body.appendChild(document.createElement('p'));
  const show = (why) => { told.textContent = [why, location.pathname + location.search + location.hash, JSON.stringify(history.state)].join(' '); };
  const button = (name, press) => {
    const made = document.body.appendChild(document.createElement('button'));
    made.textContent = name; made.onclick = () => { press(); show(name); };
  };
  addEventListener('popstate', ({ state }) => show('popped ' + JSON.stringify(state)));
  button('about', () => history.pushState({ at: 1 }, '', '/about?a=1'));
  button('part', () => { location.hash = 'part'; });
  button('user', () => history.pushState(undefined, '', new URL('users/7#top', location.href)));
  button('other', () => history.replaceState({ at: 3 }, ''));
  button('back', () => history.back());
  button('far', () => history.go(-9));
  show('first');`;

it('is moved by pushState, and back by the history', async () => {
  const { open, preview } = await openPreview({
    'index.html': `<!doctype html><script type="module">${router}</script>`,
  });
  const page = await open();
  const told = [/paragraph: (.*)/.exec(page.tree)?.[1]];
  for (const name of ['about', 'part', 'user', 'other', 'back', 'back', 'back']) {
    const { tree } = await preview.act({ type: 'click', ref: refOf(page, `"${name}"`) });
    told.push(/paragraph: (.*)/.exec(tree)?.[1]);
  }
  expect(told).toEqual([
    'first / null',
    'about /about?a=1 {"at":1}',
    'part /about?a=1#part null',
    'user /users/7#top',
    'other /users/7#top {"at":3}',
    'popped null /about?a=1#part null',
    'popped {"at":1} /about?a=1 {"at":1}',
    'popped null / null',
  ]);
  // Where there is no such entry, the answer comes all the same.
  await preview.act({ type: 'click', ref: refOf(page, '"far"') });
  expect((await preview.readConsole()).messages).toEqual([]);
});

it('takes fragments, also of plain scripts, and loads files by what it says', async () => {
  const logs = await logsOf(
    `const load = async (url) => (await fetch(url)).text();
    const of = (path) => new URL(path, location.href);
    console.log(await load(of('/a.txt')), await load(new Request(of('b/c.txt'))), await load(location.origin + '/d.txt'));
    history.pushState(null, '', '#/new'); console.log(location.pathname + location.hash);
    history.replaceState(null, '', window['location'].href); console.log(location.hash);
    try { history.pushState(null, '', 'https://a.test/x'); } catch ({ name, message }) { console.log(name, message); }`,
    { 'site/a.txt': 'a', 'site/b/c.txt': 'c', 'site/public/d.txt': 'd' },
  );
  expect(logs).toEqual([
    'a c d',
    '/#/new',
    '#/new',
    "SecurityError history.pushState can't set https://a.test/x: it is of another origin than the page.",
  ]);
});

it('says which page to open where code would leave for it', async () => {
  const logs = await logsOf(
    `location.href = '/about.html?a#b'; location.assign('none'); window.location.replace('https://a.test/');
    window.location = '#here'; location = '/about.html'; location.search = '?x'; console.log(location.href.split('/').pop());`,
    { 'site/about.html': '' },
  );
  const open = (address: string, path: string) =>
    `The link to ${address} wasn't followed: a script clicked it. To see that page, open /app/site/${path}.`;
  expect(logs).toEqual([
    '#here',
    open('/about.html?a#b', 'about.html'),
    "The link to /none wasn't followed: there is no such file in the workspace (404).",
    "The link to https://a.test/ wasn't followed: a preview shows pages of the workspace alone.",
    open('/about.html', 'about.html'),
    open('/?x#here', 'index.html'),
  ]);
});

it('runs code that is made of texts, and wasm, as libraries do', async () => {
  // One function, which returns 42.
  const wasm = [
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 6,
    1, 4,
  ];
  const logs = await logsOf(
    `console.log(new Function('return 6 * 7')(), (0, eval)('1 + 1'));
    const { instance } = await WebAssembly.instantiateStreaming(fetch('a.wasm'));
    console.log(instance.exports.f());`,
    { 'site/a.wasm': new Uint8Array([...wasm, 0, 65, 42, 11]) },
  );
  expect(logs).toEqual(['42 2', '42']);
});
