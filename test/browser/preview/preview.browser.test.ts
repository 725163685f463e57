// The preview in a real page: apps of several files, what a person does in them, and pages that mean harm.
import { describe, expect, it } from 'vitest';
import { server } from 'vitest/browser';
import { SdkError } from '../../../src/core/errors.ts';
import type { PreviewFiles } from '../../../src/core/host-ports/preview.ts';
import type { Clock } from '../../../src/core/tool/ports.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import { openPreview, pixel, refOf, type Files } from '../../support/browser/preview-page.ts';

const todoApp: Files = {
  'index.html': `<!doctype html>
<html><head><title>To do</title><link rel="stylesheet" href="/style.css"></head>
<body><h1>To do</h1><img src="logo.png" alt="A dot"><div id="app"></div>
<script type="module" src="/src/main.tsx"></script></body></html>`,
  'style.css': "@import './base.css'; h1 { background: url('logo.png') }",
  'base.css': 'h1 { color: rgb(1, 2, 3) }',
  'logo.png': pixel,
  'src/main.tsx': `import { render } from '../lib/render.ts';
import { load } from './data.ts';
import './main.css';
import words from './words.json'; import logo from '../logo.png';
import plural from 'plural';

interface Item { readonly text: string }
const items: Item[] = await load();
const app = document.getElementById('app') as HTMLElement;
function draw(): void {
  render(app, \`<form><label>New <input name="text"></label><button>\${words.add}</button></form>
    <ul>\${items.map(({ text }) => \`<li>\${text}</li>\`).join('')}</ul>
    <p>\${plural(items.length)}</p><img class="made" alt="made" src="\${logo}"><img alt="late" src="/logo.png">\`);
}
app.addEventListener('submit', (event) => {
  event.preventDefault();
  const field = app.querySelector('input') as HTMLInputElement;
  items.push({ text: field.value });
  localStorage.setItem('count', String(items.length));
  draw();
});
draw();
document.addEventListener('DOMContentLoaded', () => console.log('ready', { items: items.length }));
`,
  'src/main.css': 'ul { list-style: none }',
  'src/data.ts': `import type { Item } from './main.tsx';
export async function load(): Promise<Item[]> {
  return (await fetch('/data.json')).json();
}`,
  'src/words.json': '{ "add": "Add" }',
  'data.json': '[{ "text": "Buy milk" }]',
  'lib/render.ts':
    'export function render(into: HTMLElement, html: string): void { into.innerHTML = html; }',
  'node_modules/plural/package.json': '{ "main": "index.js" }',
  'node_modules/plural/index.js':
    "const { one } = require('./words.js'); module.exports = (n) => n + (n === 1 ? one : ' items');",
  'node_modules/plural/words.js': "exports.one = require('after-space')('item');",
  'node_modules/after-space/package.json':
    '{ "exports": { "import": "./i.mjs", "require": "./r.cjs" } }',
  'node_modules/after-space/i.mjs': 'export default (word) => ` ${word}`;',
  'node_modules/after-space/r.cjs': "module.exports = (word) => ' ' + word;",
};

describe('a preview', () => {
  it('runs an app of modules, styles, pictures and packages, and shows what is on the page', async () => {
    const { open, preview } = await openPreview(todoApp);
    const page = await open();
    const messages = await preview.readConsole();
    expect(messages).toEqual({
      path: '/app/index.html',
      messages: [{ level: 'log', text: 'ready {"items":1}' }],
      dropped: 0,
    });
    expect(page).toMatchObject({ path: '/app/index.html', title: 'To do' });
    expect(page.tree).toBe(`- heading "To do" [level=1]
- img "A dot"
- form
  - text: New
  - textbox "New" [ref=e1]
  - button "Add" [ref=e2]
- list
  - listitem: Buy milk
- paragraph: 1 item
- img "made"
- img "late"`);
  });

  it('does what a person does: types, clicks, presses, and shows what became of it', async () => {
    const { open, preview } = await openPreview(todoApp);
    const page = await open();
    const field = refOf(page, 'textbox "New"');
    const typed = await preview.act({ type: 'type', ref: field, text: 'Sleep' });
    expect(typed.tree).toContain('- textbox "New" [value="Sleep"] [focused] [ref=e1]');
    const added = await preview.act({ type: 'click', ref: refOf(typed, 'button "Add"') });
    expect(added.tree).toContain('- listitem: Sleep\n- paragraph: 2 items');
    const again = refOf(added, 'textbox "New"');
    await preview.act({ type: 'type', ref: again, text: 'Run' });
    const pressed = await preview.act({ type: 'press', ref: again, key: 'Enter' });
    expect(pressed.tree).toContain('- listitem: Run\n- paragraph: 3 items');
    await expect(preview.act({ type: 'click', ref: again })).rejects.toMatchObject({
      code: 'invalid-input',
      message: `There is no element ${again} any more. Read the page, and take a ref of that.`,
    });
  });

  it('runs decorated classes, as the project has them', async () => {
    const { open, preview } = await openPreview({
      'index.html': '<x-counter></x-counter><script type="module" src="/src/counter.ts"></script>',
      'tsconfig.json':
        '{ "compilerOptions": { "experimentalDecorators": true, "useDefineForClassFields": false } }',
      'src/element.ts': `export const element = (name: string) => (made: any) => customElements.define(name, made);
export const drawn = (prototype: any, key: string) => Object.defineProperty(prototype, key, {
  get() { return this['_' + key]; },
  set(value) { this['_' + key] = value; this.draw(); },
});`,
      'src/counter.ts': `import { drawn, element } from './element'
@element('x-counter')
export class Counter extends HTMLElement {
  @drawn
  count = 0
  @drawn label?: string
  connectedCallback() { this.addEventListener('click', () => this.count++) }
  draw() { this.innerHTML = \`<button>Count is \${this.count}</button>\` }
}`,
    });
    const page = await open();
    const clicked = await preview.act({ type: 'click', ref: refOf(page, 'Count is 0') });
    expect(clicked.tree).toContain('button "Count is 1"');
    expect((await preview.readConsole()).messages).toEqual([]);
  });

  it('shows states, and refuses what a person could not do', async () => {
    const { open, preview } = await openPreview({
      'index.html': `<style>.over { position: fixed; inset: 0; top: 200px }</style>
        <select aria-label="Size"><option>Small</option><option selected>Large</option></select>
        <label><input type="checkbox" checked> Loud</label> <button disabled>Send</button>
        <div onclick="this.textContent = 'opened'">Open me</div> <p>Some <b>bold</b> words</p>
        <div hidden>Unseen</div> <a href="#x" aria-current="page">Home</a>
        <button style="position: fixed; top: 210px; left: 5px">Below</button><div class="over"></div>`,
    });
    const page = await open();
    expect(page.tree).toBe(`- combobox "Size" [value="Large"] [ref=e1]
  - option "Small" [ref=e2]
  - option "Large" [selected] [ref=e3]
- checkbox "Loud" [checked] [ref=e4]
- text: Loud
- button "Send" [disabled] [ref=e5]
- clickable "Open me" [ref=e6]
- paragraph: Some bold words
- link "Home" [current] [ref=e7]
- button "Below" [ref=e8]`);
    const act = async (action: Parameters<typeof preview.act>[0]) =>
      (await preview.act(action)).tree;
    expect(await act({ type: 'click', ref: 'e6' })).toContain('clickable "opened" [ref=e6]');
    expect(await act({ type: 'click', ref: 'e4' })).toContain('checkbox "Loud" [focused] [ref=e4]');
    expect(await act({ type: 'type', ref: 'e1', text: 'Small' })).toContain('[value="Small"]');
    const refused = async (action: Parameters<typeof preview.act>[0]) =>
      preview.act(action).catch((error: unknown) => (error as Error).message);
    expect([
      await refused({ type: 'click', ref: 'e5' }),
      await refused({ type: 'click', ref: 'e8' }),
      await refused({ type: 'type', ref: 'e1', text: 'Huge' }),
      await refused({ type: 'type', ref: 'e4', text: 'x' }),
      await refused({ type: 'type', ref: 'e7', text: 'x' }),
      await refused({ type: 'click', ref: 'e99' }),
    ]).toEqual([
      'The element e5 is disabled.',
      `The element e8 is covered by <div class="over">: a person couldn't click it.`,
      'The element e1 has no option "Huge". There is "Small", "Large".',
      'The element e4 is of the type checkbox, which takes no text. Click it.',
      'The element e7 is no field. Take the ref of a textbox or a combobox.',
      'There is no element e99 any more. Read the page, and take a ref of that.',
    ]);
  });

  it('says in the console what failed, what was not loaded, and why', async () => {
    const { open, preview } = await openPreview({
      'index.html': `<link rel="stylesheet" href="gone.css">
        <script src="https://cdn.test/react.js"></script>
        <script src="plain.js"></script>
        <script type="module" src="broken.ts"></script>
        <script type="module">import 'left-pad';</script>
        <script type="module">import './look.scss';</script>
        <script type="module">console.warn('still here'); throw new TypeError('by itself');</script>
        <script type="module">fetch('/none.json').then(({ status }) => console.info(status));</script>
        <script type="module">fetch('/save', { method: 'POST' }).catch(({ message }) => console.info(message));</script>`,
      'plain.js': "Promise.reject(new TypeError('late'))",
      'broken.ts': 'const a = 1;\nconst = 2;',
      'look.scss': 'a {}',
    });
    const page = await open();
    const { messages } = await preview.readConsole();
    // Without the places, which the browser words.
    const texts = messages.map(({ level, text }) => `${level} ${text.split('\n')[0]}`).toSorted();
    expect(texts).toEqual([
      'error Uncaught (in promise) TypeError: late',
      "error Uncaught Error: /app/look.scss has to be compiled, which a preview can't do for .scss (in /app/index.html#2)",
      "error Uncaught Error: Cannot find module 'left-pad': no node_modules above the file has it, and Node's own modules aren't in a page (in /app/index.html#1)",
      "error Uncaught Error: SyntaxError in './broken.ts' at 2:7: Unexpected token (in /app/index.html)",
      'error Uncaught TypeError: by itself',
      'info 404',
      'info POST /save failed: a preview has no server. It can only get files.',
      "request gone.css, named in /app/index.html, isn't in the workspace (404).",
      'request https://cdn.test/react.js was refused (script-src-elem). A preview reaches no network. It loads files of the workspace: by import and fetch, and by the src and href that stand in the page.',
      'warn still here',
    ]);
    expect(page.unread).toEqual({ errors: 7, others: 3 });
    const thrown = messages.find(({ text }) => text.includes('by itself'))?.text;
    // WebKit's errors don't name code that has no file of its own.
    if (server.browser !== 'webkit') expect(thrown).toContain('/app/index.html#3:1:');
    expect((await preview.readConsole()).messages).toEqual([]);
  });

  it('reads by the files that it is given alone, and never what sessions keep', async () => {
    const { open, preview, workspace } = await openPreview({
      'index.html': `<script type="module">
        const names = ['/open.txt', 'secret.txt', '../../session/a/plan.md', 'file:///session/a/plan.md', '/..%2f..%2fsession/a/plan.md'];
        for (const name of names) console.log(name, (await fetch(name)).status);</script>`,
      'open.txt': 'open',
      'secret.txt': 'secret',
    });
    const { fs } = workspace;
    // Whoever opens the page may see one of the session's files, and not this one of the app.
    const toReal = (path: string) => (path === '/session/a/plan.md' ? '/app/open.txt' : path);
    const check = (path: string) => {
      if (path.endsWith('secret.txt')) throw new SdkError('ENOENT', 'ENOENT: no such file');
      return toReal(path);
    };
    await open('/app/index.html', {
      readFile: async (path) => fs.readFile(check(path)),
      stat: async (path) => fs.stat(check(path)),
    });
    expect((await preview.readConsole()).messages.map(({ text }) => text)).toEqual([
      '/open.txt 200',
      'secret.txt 404',
      '../../session/a/plan.md 404',
      'file:///session/a/plan.md 404',
      '/..%2f..%2fsession/a/plan.md 404',
    ]);
  });

  it('shows what was changed when it is opened again, and refuses what is no page', async () => {
    const { open, preview, workspace } = await openPreview({ 'index.html': '<p>one</p>' });
    await expect(preview.act({ type: 'read' })).rejects.toMatchObject({ code: 'bad-usage' });
    expect((await open()).tree).toBe('- paragraph: one');
    await workspace.fs.writeFile('/app/index.html', '<p>two</p>');
    expect((await open()).tree).toBe('- paragraph: two');
    await expect(open('/app/gone.html')).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(open('/app')).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it('says that it must be on the screen', async () => {
    const { container, open, preview } = await openPreview({ 'index.html': '<p>one</p>' });
    await open();
    container.style.display = 'none';
    await expect(preview.act({ type: 'read' })).rejects.toMatchObject({
      code: 'unsupported-environment',
    });
  });

  it('stops waiting when its signal aborts', async () => {
    const { preview, workspace } = await openPreview({
      'index.html': '<script type="module">await new Promise(() => {})</script>',
    });
    const controller = new AbortController();
    const opening = preview.open('/app/index.html', {
      files: workspace.fs,
      signal: controller.signal,
    });
    controller.abort();
    await expect(opening).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('a page that means harm', () => {
  /** Its deadlines are over when the test says so. */
  function createHandClock(): Clock & { ring(): void } {
    const waiting = new Set<() => void>();
    return {
      now: () => Date.now(),
      after(_delayMs, callback) {
        waiting.add(callback);
        return { [Symbol.dispose]: () => void waiting.delete(callback) };
      },
      ring() {
        for (const callback of waiting) callback();
      },
    };
  }

  it('is thrown away when it hangs, and the next one opens', async () => {
    const clock = createHandClock();
    const { open, preview, container, workspace } = await openPreview(
      {
        'index.html': `<button onclick="parent.parent.postMessage('begun', '*'); setTimeout(() => { for (;;); });">Go</button>`,
      },
      clock,
    );
    const page = await open();
    const clicked = preview.act({ type: 'click', ref: refOf(page, 'Go') });
    clicked.catch(() => undefined);
    // What it says before its loop comes past the outer frame, which hangs with it. The page around both goes on.
    await new Promise<void>((resolve) => {
      const hear = ({ data }: MessageEvent<unknown>) => {
        if (data !== 'begun') return;
        window.removeEventListener('message', hear);
        resolve();
      };
      window.addEventListener('message', hear);
    });
    clock.ring();
    await expect(clicked).rejects.toMatchObject({
      code: 'limit-exceeded',
      message:
        "The page didn't answer within 8 s, and was thrown away. Look for an endless loop, mend it, and open the page again.",
    });
    expect(container.childElementCount).toBe(0);
    await expect(preview.act({ type: 'read' })).rejects.toMatchObject({ code: 'limit-exceeded' });
    await workspace.fs.writeFile('/app/index.html', '<p>mended</p>');
    expect((await open()).tree).toBe('- paragraph: mended');
  });

  it('is thrown away when it floods', async () => {
    const { open, container } = await openPreview({
      'index.html':
        "<script>for (let i = 0; i < 5000; i += 1) parent.postMessage(i, '*');</script>",
    });
    await expect(open()).rejects.toMatchObject({
      code: 'limit-exceeded',
      message: expect.stringContaining('sent more than 1000 messages in a second') as string,
    });
    expect(container.childElementCount).toBe(0);
  });

  it('is not believed by the form of what it says, and nobody else is heard', async () => {
    const { open, preview } = await openPreview({
      'index.html': `<script>
        const say = (message) => parent.postMessage(message, '*');
        for (const type of ['page', 'refused', 'modules', 'file', 'console', 'ask', 'secret']) {
          for (const id of [1, '1', -0.5, null, undefined]) say({ type, id, wanted: 1, messages: [1], tree: {}, title: 1 });
        }
        say({ type: 'console', messages: [{ level: 'log', text: 'x'.repeat(9000) }], dropped: 0 });
        say({ type: 'console', messages: [{ level: 'shout', text: 'x' }], dropped: 0 });
        say({ type: 'console', messages: [], dropped: -1 });
        say(null); say('tree'); say([]);
      </script><p>plain</p>`,
    });
    window.postMessage({ type: 'page', id: 1, title: 'forged', tree: 'forged' }, '*');
    expect(await open()).toMatchObject({ title: '', tree: '- paragraph: plain' });
    const { messages, dropped } = await preview.readConsole();
    expect([messages.map(({ text }) => text.length), dropped]).toEqual([[2100], 0]);
  });

  it('keeps the newest of what it logs', async () => {
    const { open, preview } = await openPreview({
      'index.html': '<script>for (let i = 0; i < 1000; i += 1) console.log(i);</script>',
    });
    await open();
    const { messages, dropped } = await preview.readConsole();
    expect([messages.length, messages.at(-1)?.text, dropped]).toEqual([200, '999', 800]);
  });
});

it('stays closed where it is closed while a page is on its way', async () => {
  const { open, preview, workspace, container } = await openPreview({ 'index.html': 'Here.' });
  const begun = createDeferred();
  const closed = createDeferred();
  const slow: PreviewFiles = {
    readFile: workspace.fs.readFile,
    async stat(path) {
      begun.resolve();
      await closed.promise;
      return workspace.fs.stat(path);
    },
  };
  const opening = open('/app/index.html', slow);
  await begun.promise;
  preview.close();
  closed.resolve();
  await expect(opening).rejects.toMatchObject({ code: 'aborted' });
  expect(container.childElementCount).toBe(0);
  expect(preview.state().path).toBeUndefined();
});
